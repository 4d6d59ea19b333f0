/** Whatever nft prints as JSON for an expression. */
type Expression = unknown;

export interface Chain {
  /** Where packets come from: `filter prerouting -300 accept`; missing for chains that only others lead to. */
  readonly hook?: string;
  readonly rules: readonly Expression[];
}

/** A table of nftables, as the kernel has it. */
export interface Table {
  readonly chains: ReadonlyMap<string, Chain>;
  /** The elements of sets and maps, as `a . b`; of a map, with the chain that each leads to, or the endpoint: `c . d`. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface Entry {
  readonly set?: NamedSet;
  readonly map?: NamedSet;
  readonly chain?: { name: string; type?: string; hook?: string; prio?: number; policy?: string };
  readonly rule?: { chain: string; expr: readonly Expression[] };
}

interface NamedSet {
  readonly name: string;
  readonly elem?: readonly Expression[];
}

/** Reads what `nft -j list table` prints. */
export function parseTable(json: string): Table {
  const entries = (JSON.parse(json) as { nftables: readonly Entry[] }).nftables;
  const sets = new Map<string, Map<string, string>>();
  const chains = new Map<string, { hook?: string; rules: Expression[] }>();
  for (const { set, map, chain, rule } of entries) {
    if (set) sets.set(set.name, new Map((set.elem ?? []).map((each) => [keyText(each), ''])));
    if (map)
      sets.set(map.name, new Map((map.elem as [Expression, Expression][] | undefined)?.map(([a, b]) => leads(a, b))));
    if (chain) {
      const { type, hook, prio, policy } = chain;
      chains.set(chain.name, { ...(hook && { hook: `${type} ${hook} ${prio} ${policy}` }), rules: [] });
    }
    if (rule) chains.get(rule.chain)?.rules.push(rule.expr);
  }
  return { chains, sets };
}

const leads = (key: Expression, value: Expression): [string, string] => {
  const isEndpoint = typeof value === 'object' && value !== null && 'concat' in value;
  return [keyText(key), isEndpoint ? keyText(value) : [...targetsOf(value)].join(', ')];
};

function keyText(element: Expression): string {
  if (typeof element !== 'object' || element === null) return String(element);
  const { concat, range, prefix, elem } = element as {
    concat?: readonly Expression[];
    range?: readonly [string, string];
    prefix?: { addr: string; len: number };
    elem?: { val: Expression };
  };
  if (concat) return concat.map(keyText).join(' . ');
  if (range) return range.join('-');
  if (prefix) return `${prefix.addr}/${prefix.len}`;
  return elem ? keyText(elem.val) : JSON.stringify(element);
}

/** Every value of a key in an expression, however deep. */
export function* valuesOf(key: string, expression: Expression): Generator<unknown> {
  if (typeof expression !== 'object' || expression === null) return;
  for (const [name, value] of Object.entries(expression)) {
    if (name === key) yield value;
    yield* valuesOf(key, value);
  }
}

/** The chains that an expression leads to. */
export const targetsOf = (expression: Expression): Set<string> =>
  new Set(
    ['goto', 'jump'].flatMap((verdict) =>
      [...valuesOf(verdict, expression)].map((each) => (each as { target: string }).target),
    ),
  );

/** The chains that can be reached from some of them, these included. */
export function reachable({ chains }: Table, from: Iterable<string>): Set<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || !chains.has(name)) continue;
    found.add(name);
    open.push(...targetsOf(chains.get(name)?.rules));
  }
  return found;
}

/** Where packets end that come to a chain for a key of a map: `10.244.0.7:80`, in the order of the text. */
export function endpointsOf(table: Table, chain: string, key: string): string[] {
  const found = [...reachable(table, [chain])].flatMap((name) =>
    [...valuesOf('dnat', table.chains.get(name)?.rules)].flatMap((dnat) => translations(dnat, table, key)),
  );
  return [...new Set(found)].sort();
}

function translations(dnat: unknown, table: Table, key: string): string[] {
  const { addr, port } = dnat as { addr: unknown; port?: number };
  if (typeof addr === 'string') return [`${addr}:${port}`];
  const [data] = valuesOf('data', addr);
  if (typeof data !== 'string') return [...valuesOf('concat', addr)].map((pair) => (pair as unknown[]).join(':'));
  // A map that all Services share: by the key, and a number of so many.
  const [count] = valuesOf('mod', addr);
  const shared = table.sets.get(data.slice(1));
  return Array.from({ length: Number(count) }, (_, index) => {
    const endpoint = shared?.get(`${key} . ${index}`);
    return endpoint === undefined ? `endpoint ${index} of ${data} is missing` : endpoint.replace(' . ', ':');
  });
}
