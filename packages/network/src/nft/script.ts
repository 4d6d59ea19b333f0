import type { Element } from './fragment.ts';

/** Before and after of what changes; undefined where it is not there. */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What changes in a ruleset. Chains and sets are by name; a chain is the text of its rules, one a line. */
export interface Changes {
  readonly chains: ReadonlyMap<string, Change<string>>;
  readonly sets: ReadonlyMap<string, Change<string>>;
  readonly elements: Iterable<Change<Element>>;
}

/**
 * The commands for `nft -f -` that make the changes. The order lets everything refer only to what is there: sets and
 * chains come first, rules and elements next, and what nothing refers to any more goes last. `table`: the name of our tables.
 */
export function changeScript(table: string, { chains, sets, elements }: Changes): string {
  const lines: string[] = [];
  const last: string[] = [];
  for (const [name, { before, after }] of sets) {
    if (before !== undefined && after !== undefined && before !== after)
      throw new Error(`the set ${name} cannot change its type`);
    if (before === undefined && after !== undefined) lines.push(`add set inet ${table} ${name} { ${after} }`);
    if (before !== undefined && after === undefined) last.push(`delete set inet ${table} ${name}`);
  }
  for (const [name, { before, after }] of chains)
    if (before === undefined && after !== undefined) lines.push(`add chain inet ${table} ${name}`);
  for (const [name, { before, after }] of chains) {
    if (before === after) continue;
    if (before !== undefined) lines.push(`flush chain inet ${table} ${name}`);
    for (const rule of (after ?? '').split('\n')) if (rule) lines.push(`add rule inet ${table} ${name} ${rule}`);
    if (after === undefined) last.unshift(`delete chain inet ${table} ${name}`);
  }
  const removed = new Map<string, string[]>();
  const added = new Map<string, string[]>();
  for (const { before, after } of elements) {
    if (before && after && before.value === after.value) continue;
    if (before) append(removed, `${before.family} ${table} ${before.set}`, before.key);
    if (after) append(added, `${after.family} ${table} ${after.set}`, elementText(after));
  }
  for (const [set, keys] of removed) lines.push(`delete element ${set} { ${keys.join(', ')} }`);
  for (const [set, keys] of added) lines.push(`add element ${set} { ${keys.join(', ')} }`);
  return [...lines, ...last].map((line) => `${line}\n`).join('');
}

const elementText = ({ key, value }: Element): string => (value === undefined ? key : `${key} : ${value}`);

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
