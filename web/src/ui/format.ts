// Numbers for people: times, sizes, counts, money. Knows no language but English and no time zone but the reader's.

/** `850 ms`, `2.4 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

/** `512 B`, `4.2 kB`, `13 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count;
  let at = -1;
  do {
    value /= 1000;
    at += 1;
  } while (value >= 999.5 && at < units.length - 1);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${count < 10_000 ? (count / 1000).toFixed(1) : Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `$0.0042`, `$1.30`. */
export function cost(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '< $0.0001';
  return usd < 0.1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the day. */
export function ago(ms: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - ms) / 1000));
  if (seconds < 45) return 'just now';
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 84_600) return `${Math.round(seconds / 3600)} h ago`;
  const days = Math.round(seconds / 86_400);
  if (days < 14) return plural(days, 'day') + ' ago';
  return new Date(ms).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The time of day with seconds. */
export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

/** Day and time. */
export function moment(ms: number): string {
  return `${new Date(ms).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock(ms)}`;
}

/** `1 call`, `3 calls`; `more` for words that do not just take an s. */
export function plural(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}
