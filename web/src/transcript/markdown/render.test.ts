import { describe, expect, it } from 'vitest';
import { noReferences, renderMarkdown, safeAddress } from './render';

const show = (text: string) => renderMarkdown(text, noReferences);
function tree(text: string): HTMLElement {
  const element = document.createElement('div');
  element.innerHTML = show(text);
  return element;
}

describe('markup of Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)>',
    '<svg><script>alert(1)</script></svg>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\u0000script:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:msgbox(1))',
    '[x]( javascript:alert(1))',
    '<javascript:alert(1)>',
    '![x](javascript:alert(1))',
    '![x"onerror="alert(1)](http://example.org/a.png)',
    '[x](http://example.org "t\\" onmouseover=\\"alert(1)")',
    '<div style="position:fixed;inset:0">x</div>',
    '<form action="/api/x"><button>go</button></form>',
    '<math><mtext></mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<b onclick=alert(1)>x</b>',
    '<base href="https://evil.example/">',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<link rel=stylesheet href=https://evil.example/x.css>',
    '<object data="javascript:alert(1)"></object>',
    '<input autofocus onfocus=alert(1)>',
    '```html\n<script>alert(1)</script>\n```',
    '```"><img/src=x/onerror=alert(1)>\nx\n```',
    '- a\n  ```"><script>\n  x\n  ```',
    '| <img src=x onerror=alert(1)> |\n| --- |\n| <script>alert(1)</script> |',
    '[x]: javascript:alert(1)\n\n[x]',
  ])('%j does nothing', (text) => {
    const element = tree(text);
    expect(element.querySelector('script,img,svg,iframe,object,form,base,meta,link,style,input,math')).toBeNull();
    for (const node of element.querySelectorAll('*')) {
      for (const attribute of node.attributes) {
        expect(attribute.name).not.toMatch(/^on|^style$|^src|^srcset$|^action$/);
        if (attribute.name === 'href') expect(attribute.value).toMatch(/^(https?:|mailto:)/);
      }
    }
  });

  it('opens links in a new tab, without telling where from', () => {
    const link = tree('[x](https://example.org/a?b=c)').querySelector('a');
    expect(link?.outerHTML).toBe(
      '<a href="https://example.org/a?b=c" target="_blank" rel="noopener noreferrer">x</a>',
    );
    expect(tree('see https://example.org now').querySelector('a')?.target).toBe('_blank');
    expect(tree('[x](/etc/passwd) [y](#z) [z](file:///a)').querySelector('a')).toBeNull();
  });

  it('shows an image as a link, and loads nothing', () => {
    const element = tree('![A cat](https://example.org/cat.png)');
    expect(element.querySelector('img')).toBeNull();
    expect(element.querySelector('a.image')?.textContent).toBe('A cat');
    expect(tree('![A cat](data:image/png;base64,AAAA)').textContent?.trim()).toBe('A cat');
  });

  it('refers to sources by number and by address', () => {
    const references = {
      definitions: {},
      headingBase: 1,
      sourceCount: 2,
      sourceAt: (url: string) => (url === 'https://example.org/a' ? 2 : null),
    };
    const element = document.createElement('div');
    element.innerHTML = renderMarkdown('One [1], [9], `[1]` and [words](https://example.org/a).', references);
    expect([...element.querySelectorAll('.cite')].map((node) => (node as HTMLElement).dataset.cite)).toEqual(['1', '2']);
    expect(element.textContent).toContain('[9]');
    expect(element.querySelector('code')?.textContent).toBe('[1]');
  });

  it('keeps tables, tasks, code and plain tags', () => {
    const element = tree('| a | b |\n| :- | -: |\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\nH<sub>2</sub>O\n\n    code');
    expect(element.querySelector('.table td.at-right')?.textContent).toBe('2');
    expect(element.querySelectorAll('.tasks .box')).toHaveLength(2);
    expect(element.querySelector('sub')?.textContent).toBe('2');
    expect(element.querySelector('.code pre')?.textContent).toBe('code');
    expect(element.querySelector('[data-copy]')?.getAttribute('aria-label')).toBe('Copy code');
    expect(element.querySelector('.table')?.getAttribute('tabindex')).toBe('0');
  });

  it('begins with headings of the third level, whatever the model began with', () => {
    expect(renderMarkdown('## Title', { ...noReferences, headingBase: 2 })).toContain('<h3 class="depth-2">');
    expect(renderMarkdown('### Part', { ...noReferences, headingBase: 2 })).toContain('<h4 class="depth-3">');
  });

  it('lives through enormous nesting and length', () => {
    const began = performance.now();
    for (const mark of ['>', '- ', '*', '[', '![', '`', '<b>', '**a ', '_a ', '[a](', '~~', '|']) {
      show(mark.repeat(8_000 / mark.length));
    }
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  it('follows addresses of the web and of mail alone', () => {
    expect(safeAddress('https://example.org')).toBe('https://example.org/');
    expect(safeAddress('mailto:a@example.org')).toBe('mailto:a@example.org');
    for (const bad of ['javascript:1', 'data:,x', 'file:///a', '//example.org', 'http:example', 'ftp://a', '\u0001javascript:1']) {
      expect([bad, safeAddress(bad)]).toEqual([bad, null]);
    }
  });
});
