/** What a part of a key or a value is in the kernel. */
export type Field = 'ipv4_addr' | 'ipv6_addr' | 'ether_addr' | 'ifname' | 'inet_proto' | 'inet_service' | 'integer';

/** The parts of an element's key, and of its value where it has one. */
export interface SetType {
  readonly key: readonly Field[];
  readonly value?: readonly Field[] | 'verdict';
}

const FIELDS: ReadonlySet<string> = new Set([
  ...['ipv4_addr', 'ipv6_addr', 'ether_addr', 'ifname'],
  ...['inet_proto', 'inet_service', 'integer'],
]);

/** What expressions that stand for a type (`typeof`) are. */
const EXPRESSIONS: Readonly<Record<string, Field>> = {
  'ip daddr': 'ipv4_addr',
  'ip6 daddr': 'ipv6_addr',
  'meta l4proto': 'inet_proto',
  'th dport': 'inet_service',
  'numgen random mod 2': 'integer',
};

/** The type of a set by its declaration, such as `type ipv4_addr;`; undefined if its elements are more than keys and values. */
export function setType(declaration: string): SetType | undefined {
  const [, key, value] = /^type(?:of)? ([^:;]+?)(?: : ([^;]+))?;$/.exec(declaration.trim()) ?? [];
  const keyFields = key === undefined ? undefined : fields(key);
  if (!keyFields) return undefined;
  if (value === undefined) return { key: keyFields };
  const valueFields = value === 'verdict' ? value : fields(value);
  return valueFields && { key: keyFields, value: valueFields };
}

function fields(text: string): Field[] | undefined {
  const found = text.split(' . ').map((part) => (FIELDS.has(part) ? (part as Field) : EXPRESSIONS[part]));
  return found.every((each) => each !== undefined) ? found : undefined;
}

/** The types of the sets and maps that commands declare, by family and name. */
export function declaredTypes(commands: string): Map<string, SetType> {
  const types = new Map<string, SetType>();
  let family = '';
  for (const line of commands.split('\n')) {
    family = /^table (\w+) /.exec(line)?.[1] ?? family;
    const [, name, declaration] = /^\s*(?:set|map) (\S+) \{ (.*) \}$/.exec(line) ?? [];
    const type = declaration === undefined ? undefined : setType(declaration);
    if (name && type) types.set(`${family} ${name}`, type);
  }
  return types;
}
