// A search server on this machine that speaks SearXNG's wire: it finds what a test tells it to, when it tells it to.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Hit {
  title: string;
  url: string;
  content: string;
}

export class SearchServer {
  private readonly hits: { [query: string]: Hit[] } = {};
  private readonly held = new Map<string, Promise<void>>();
  private readonly letGo = new Map<string, () => void>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SearchServer> {
    const server = createServer();
    const search = new SearchServer(server);
    server.on('request', (request, response) => {
      const query = new URL(request.url ?? '/', 'http://x').searchParams.get('q') ?? '';
      void (search.held.get(query) ?? Promise.resolve()).then(() => {
        const results = search.hits[query] ?? [];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ query, results, number_of_results: results.length }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return search;
  }

  get config(): string {
    const { port } = this.server.address() as AddressInfo;
    return `[web_search]\nbackend = "searxng"\nbase_url = "http://127.0.0.1:${port}"\n`;
  }

  /** What a query finds from now on. */
  finds(query: string, hits: Hit[]): void {
    this.hits[query] = hits;
  }

  /** A query is not answered until `release`. */
  hold(query: string): void {
    this.held.set(query, new Promise((done) => this.letGo.set(query, done)));
  }

  release(query: string): void {
    this.letGo.get(query)?.();
    this.held.delete(query);
  }

  async end(): Promise<void> {
    for (const go of this.letGo.values()) go();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
