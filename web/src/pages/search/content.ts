// A file as the server takes it: text as text, everything else as base64. Knows no server.

/** Bytes that are written as characters at once: more arguments than this are too many for a call. */
const CHUNK = 0x8000;

/** The content of a file. */
export async function contentOf(file: Blob & { name: string }): Promise<{ text: string } | { base64: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    if (!/\.pdf$/i.test(file.name)) return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    // It is in another encoding: the server says what it thinks of it.
  }
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return { base64: btoa(binary) };
}
