// Small things that the browser keeps between visits, as JSON under names of our own. A browser that keeps nothing
// (private windows, full disks) is served from memory. Knows nothing of what is kept.

const PREFIX = 'windlass.';
const memory = new Map<string, string>();

/** What was kept under a name, if it still reads. */
export function recall(name: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + name) ?? memory.get(name);
    return text == null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Keeps a value; `null` forgets it. */
export function keep(name: string, value: unknown): void {
  const text = value === null ? null : JSON.stringify(value);
  try {
    if (text === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
    memory.delete(name);
  } catch {
    if (text !== null) memory.set(name, text);
  }
}

/** The fields of a kept object; nothing if it is none. */
export function recallFields(name: string): { [field: string]: unknown } {
  const value = recall(name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
