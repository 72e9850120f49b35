import { describe, expect, it } from 'vitest';
import { contentOf } from './content';

const file = (name: string, bytes: number[]) => ({
  name,
  arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer),
});
type Given = Parameters<typeof contentOf>[0];

describe('the content of a file', () => {
  it('is text where it is text', async () => {
    expect(await contentOf(file('a.md', [0x23, 0x20, 0xc3, 0xa4]) as Given)).toEqual({ text: '# ä' });
  });
  it('is base64 for a PDF and for what is no UTF-8', async () => {
    expect(await contentOf(file('A.PDF', [0x25, 0x50]) as Given)).toEqual({ base64: 'JVA=' });
    expect(await contentOf(file('a.txt', [0xe9]) as Given)).toEqual({ base64: '6Q==' });
    const large = await contentOf(file('b.pdf', Array.from({ length: 100_000 }, (_, at) => at % 256)) as Given);
    expect('base64' in large && atob(large.base64).length).toBe(100_000);
  });
});
