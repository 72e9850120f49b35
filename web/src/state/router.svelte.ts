// Which page is shown: a fold over the address. Knows pages by name and nothing of what they show.

export type Page =
  | { name: 'new' }
  | { name: 'session'; id: string }
  | { name: 'run'; id: string }
  | { name: 'compare'; left: string; right: string }
  | { name: 'search'; q: string; kind: string | null }
  | { name: 'tasks' }
  | { name: 'tools'; tool: string | null }
  | { name: 'modules'; module: string | null }
  | { name: 'permissions' }
  | { name: 'models' }
  | { name: 'saves'; id: string | null }
  | { name: 'missing'; path: string };

/** The addresses of pages. The server knows the same list (windlass-server, routes/app.rs). */
export const paths = {
  home: () => '/',
  session: (id: string) => `/s/${encodeURIComponent(id)}`,
  run: (id: string) => `/runs/${encodeURIComponent(id)}`,
  compare: (left: string, right: string) =>
    `/compare?left=${encodeURIComponent(left)}&right=${encodeURIComponent(right)}`,
  search: (q = '', kind = 'hybrid') =>
    q ? `/search?q=${encodeURIComponent(q)}${kind === 'hybrid' ? '' : `&kind=${kind}`}` : '/search',
  tasks: () => '/tasks',
  tools: (name?: string) => (name ? `/tools/${encodeURIComponent(name)}` : '/tools'),
  modules: (id?: string) => (id ? `/modules/${encodeURIComponent(id)}` : '/modules'),
  permissions: () => '/permissions',
  models: () => '/models',
  saves: (id?: string) => (id ? `/saves/${encodeURIComponent(id)}` : '/saves'),
};

/** The page of an address. */
export function pageOf(url: URL): Page {
  const [first = '', second = '', ...more] = url.pathname.split('/').slice(1).map(decode);
  const missing: Page = { name: 'missing', path: url.pathname };
  if (more.length) return missing;
  switch (first) {
    case '':
      return second ? missing : { name: 'new' };
    case 's':
      return second ? { name: 'session', id: second } : { name: 'new' };
    case 'runs':
      return second ? { name: 'run', id: second } : missing;
    case 'compare':
      return {
        name: 'compare',
        left: url.searchParams.get('left') ?? '',
        right: url.searchParams.get('right') ?? '',
      };
    case 'search':
      return second ? missing : { name: 'search', q: url.searchParams.get('q') ?? '', kind: url.searchParams.get('kind') };
    case 'tools':
      return { name: 'tools', tool: second || null };
    case 'modules':
      return { name: 'modules', module: second || null };
    case 'saves':
      return { name: 'saves', id: second || null };
    case 'tasks':
    case 'permissions':
    case 'models':
      return second ? missing : { name: first };
    default:
      return missing;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

class Router {
  url = $state.raw(new URL(location.href));
  page = $derived(pageOf(this.url));

  constructor() {
    addEventListener('popstate', () => this.read());
    document.addEventListener('click', (event) => this.follow(event));
  }

  /** Goes to a page of the app. */
  go(to: string, how: { replace?: boolean } = {}): void {
    if (how.replace) history.replaceState(null, '', to);
    else history.pushState(null, '', to);
    this.read();
  }

  private read(): void {
    this.url = new URL(location.href);
  }

  /** Links to pages of the app stay in the app; all others are the browser's. */
  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null;
    if (!link || link.target || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    const isSamePlace = url.pathname === location.pathname && url.search === location.search && url.hash;
    if (url.origin !== location.origin || isSamePlace || pageOf(url).name === 'missing') return;
    event.preventDefault();
    this.go(url.pathname + url.search + url.hash);
  }
}

export const router = new Router();
