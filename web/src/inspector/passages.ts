// Passages in an outcome: pieces of text with scores, wherever a search tool has put them. Knows no screen.

export interface Passage {
  title: string;
  /** Where it comes from: a path, a link, with its lines where they are known. */
  source: string;
  text: string;
  scores: { name: string; value: number }[];
}

const DEPTH_MAX = 4;
const TITLES = ['title', 'name', 'heading'];
const SOURCES = ['path', 'file', 'url', 'source', 'id'];
const TEXTS = ['text', 'content', 'snippet', 'passage'];

/** The passages of an outcome's JSON, in its order; nothing if it has none. */
export function passagesOf(json: unknown, depth = 0): Passage[] {
  if (depth > DEPTH_MAX || json === null || typeof json !== 'object') return [];
  if (Array.isArray(json)) {
    const own = json.flatMap((item) => passage(item) ?? []);
    return own.length ? own : json.flatMap((item) => passagesOf(item, depth + 1));
  }
  const fields = json as { [name: string]: unknown };
  if (Array.isArray(fields.passages)) {
    return fields.passages.map((item) => passage(item) ?? plain(item));
  }
  return Object.values(fields).flatMap((value) => passagesOf(value, depth + 1));
}

function passage(item: unknown): Passage | null {
  if (item === null || typeof item !== 'object') return null;
  const fields = item as { [name: string]: unknown };
  const scores = scoresOf(fields);
  return scores.length ? { ...plain(item), scores } : null;
}

function scoresOf(fields: { [name: string]: unknown }): Passage['scores'] {
  const list: Passage['scores'] = [];
  if (typeof fields.score === 'number') list.push({ name: 'score', value: fields.score });
  if (fields.scores !== null && typeof fields.scores === 'object') {
    for (const [name, value] of Object.entries(fields.scores)) {
      if (typeof value === 'number') list.push({ name: name.replaceAll('_', ' '), value });
    }
  }
  return list;
}

function plain(item: unknown): Passage {
  if (item === null || typeof item !== 'object') return { title: '', source: '', text: String(item), scores: [] };
  const fields = item as { [name: string]: unknown };
  const first = (names: string[]) => {
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string' || typeof value === 'number');
    return found === undefined ? '' : String(found);
  };
  return { title: first(TITLES), source: first(SOURCES) + lines(fields), text: first(TEXTS), scores: [] };
}

function lines(fields: { [name: string]: unknown }): string {
  const from = fields.line_start ?? fields.start_line ?? fields.line;
  const to = fields.line_end ?? fields.end_line;
  if (typeof from !== 'number') return '';
  return typeof to === 'number' && to !== from ? `:${from}-${to}` : `:${from}`;
}
