// What a rule about hosts holds for beyond what it names: no rule parts the paths of a host.
//
// The same words as `host_note` in `permission/rule.rs` of windlass-core; `fixtures/host_notes.json` holds both to them.

/** Tools that fetch addresses, with their other names, and the scope of all that use the network. */
const FETCHERS = ['fetch_url', 'read_url', 'web_fetch', 'summarize_url', 'scope:network_access'];

/** The words, where a rule is about hosts. */
export function hostNote(rule: string): string | null {
  const text = rule.trim().replace(/^everywhere\s+/, '');
  const at = text.indexOf('(');
  if (!FETCHERS.includes(at < 0 ? text : text.slice(0, at))) return null;
  if (at < 0) return 'every path of every host';
  const hosts = text.slice(at + 1).replace(/\)$/, '').split(')(');
  return hosts.length === 1 && !hosts[0]?.includes('*') ? 'every path of this host' : 'every path of these hosts';
}
