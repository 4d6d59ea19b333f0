import type { Random } from '../../faults/random.ts';

/** What is sent as a body, and what it is said to be. */
export interface HostileBody {
  readonly label: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** What a route's objects call themselves. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** For XML, shells, paths, logs, QEMU's options, JavaScript's objects, SQL and terminals. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '/etc/shadow',
  '\0',
  'a\0b',
  'line\nerror: forged line',
  'line\r\nX-Forged: yes',
  '\x1b[2J\x1b]0;owned\x07',
  `"><script>alert(1)</script>`,
  `]]><!ENTITY x SYSTEM "file:///etc/passwd">`,
  `</name><qemu:commandline><qemu:arg value='-S'/></qemu:commandline>`,
  '$(touch /tmp/vireo-owned)',
  '`touch /tmp/vireo-owned`',
  '; touch /tmp/vireo-owned #',
  "' OR 1=1; DROP TABLE log; --",
  'a,b=c,,file=/etc/passwd',
  '{{7*7}}#{7*7}',
  '%s%n%x',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'NaN',
  '-1',
  '1e309',
  '9223372036854775808',
  '\ud800',
  '\u202e\u2066',
  '漢字 é 🦜',
  'x'.repeat(300),
];

const VALUES: readonly unknown[] = [
  ...HOSTILE_TEXTS,
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  [],
  {},
  [[]],
  [null],
  { '': '' },
  { __proto: {} },
  ['x', 1, null, {}],
];

const NAMES = ['metadata', 'spec', 'status', 'data', 'template', 'domain', 'devices', 'volumes', 'resources', 'rules'];

/** Some object of a kind: rightly named, with nonsense where its fields should be. */
export function nonsense(random: Random, gvk: Gvk | undefined, name: string, namespace: string): unknown {
  const value = (depth: number): unknown => {
    if (depth === 0 || random.next() < 0.4) return random.pick(VALUES);
    if (random.next() < 0.2) return Array.from({ length: random.between(0, 4) }, () => value(depth - 1));
    const keys = Array.from({ length: random.between(0, 4) }, () =>
      random.next() < 0.6 ? random.pick(NAMES) : random.pick(HOSTILE_TEXTS),
    );
    return Object.fromEntries(keys.map((key) => [key, value(depth - 1)]));
  };
  const metadata =
    random.next() < 0.8 ? { name, namespace, ...(random.next() < 0.3 && { labels: value(2) }) } : value(2);
  const typed = gvk && random.next() < 0.8 ? typeMeta(gvk) : {};
  return { ...typed, metadata, spec: value(4), ...(random.next() < 0.3 && { status: value(3) }) };
}

export const typeMeta = ({ group, version, kind }: Gvk) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
});

const named = (gvk: Gvk | undefined, text: string): string =>
  `{"apiVersion":${JSON.stringify(gvk ? typeMeta(gvk).apiVersion : 'v1')},"kind":${JSON.stringify(gvk?.kind ?? 'ConfigMap')},${text}}`;

type Maker = (random: Random, gvk: Gvk | undefined) => readonly [contentType: string, body: string | Buffer];

const json =
  (body: (gvk: Gvk | undefined, random: Random) => string | Buffer): Maker =>
  (random, gvk) => [JSON_TYPE, body(gvk, random)];

const NEST = 50_000;

/** Bodies that are wrong as such, whatever the route. */
const BROKEN: Readonly<Record<string, Maker>> = {
  nothing: json(() => ''),
  'half an object': json((gvk) => named(gvk, '"metadata":{"name":"x"').slice(0, -1)),
  null: json(() => 'null'),
  'a list': json(() => '[1,2,{"a":[]}]'),
  'a number': json(() => '1e999'),
  'a text': json(() => '"x"'),
  'deep objects': json(() => `${'{"a":'.repeat(NEST)}1${'}'.repeat(NEST)}`),
  'deep lists': json((gvk) => named(gvk, `"spec":${'['.repeat(NEST)}${']'.repeat(NEST)}`)),
  'huge numbers': json((gvk) =>
    named(gvk, `"metadata":{"name":"x","generation":1e400},"spec":{"replicas":${'9'.repeat(400)}}`),
  ),
  prototypes: json((gvk) =>
    named(
      gvk,
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"metadata":{"__proto__":{"name":"x"}}',
    ),
  ),
  'keys twice': json((gvk) => named(gvk, '"metadata":{"name":"x","name":"y"},"metadata":null,"kind":"Secret"')),
  'no UTF-8': json(() => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])),
  'a byte order mark': json((gvk) => `\ufeff${named(gvk, '"metadata":{}')}`),
  'a NUL in a key': json((gvk) => named(gvk, '"a\\u0000b":1,"metadata":{"name":"a\\u0000b"}')),
  'half a surrogate': json((gvk) => named(gvk, '"metadata":{"name":"\\ud800"}')),
  'many keys': json((gvk) =>
    named(gvk, `"metadata":{"labels":{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":"v"`)}}}`),
  ),
  'a long text': json((gvk) => named(gvk, `"metadata":{"name":"${'x'.repeat(1 << 20)}"}`)),
  'too much': json((gvk) => named(gvk, `"data":{"a":"${'x'.repeat(4 << 20)}"}`)),
  'random bytes': (random) => [
    random.pick([
      JSON_TYPE,
      YAML_TYPE,
      PROTOBUF_TYPE,
      'application/cbor',
      'text/plain',
      '',
      '\u00e9/x',
      'a/b;charset=x',
    ]),
    noise(random),
  ],
  'YAML that breaks off': () => [YAML_TYPE, 'apiVersion: v1\n  kind: [\n\t- x'],
  'YAML that multiplies': () => [YAML_TYPE, yamlBomb()],
  'YAML with tags': () => [
    YAML_TYPE,
    'a: !!js/function "function(){}"\nb: !!python/object/apply:os.system ["id"]\n<<: *x',
  ],
  'YAML with keys of all sorts': () => [
    YAML_TYPE,
    '? {a: 1}\n: 2\n? [x]\n: y\nnull: ~\n.nan: .inf\n__proto__: {polluted: true}',
  ],
  'two documents': () => [YAML_TYPE, 'kind: ConfigMap\n---\nkind: Secret\n'],
  'protobuf of nothing': () => [PROTOBUF_TYPE, Buffer.from('k8s\0')],
  'protobuf that ends': () => [PROTOBUF_TYPE, Buffer.from('k8s\0\x0a\xff\xff\xff\xff\x0f', 'latin1')],
  'protobuf of noise': (random) => [PROTOBUF_TYPE, Buffer.concat([Buffer.from('k8s\0'), noise(random)])],
  CBOR: () => ['application/cbor', Buffer.from([0xd9, 0xd9, 0xf7, 0xbf, 0xff])],
  gzip: () => [JSON_TYPE, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
};

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const;

const PATCHES: readonly string[] = [
  '[]',
  '{}',
  '[{"op":"add"}]',
  '[{"op":"add","path":"/__proto__/polluted","value":true}]',
  '[{"op":"replace","path":"/constructor/prototype/polluted","value":true}]',
  '[{"op":"copy","from":"","path":"/spec/a"},{"op":"copy","from":"","path":"/spec/b"}]',
  '[{"op":"move","from":"/metadata","path":"/metadata/a"}]',
  '[{"op":"remove","path":""}]',
  '[{"op":"add","path":"/metadata/labels/-","value":{}}]',
  '[{"op":"add","path":"/spec/99999999999","value":1}]',
  '[{"op":"test","path":"~2","value":1}]',
  `[${Array.from({ length: 12_000 }, () => '{"op":"test","path":"/kind","value":"x"}')}]`,
  '{"metadata":null}',
  '{"metadata":{"name":"other","namespace":"other","uid":"x","resourceVersion":"y"}}',
  '{"metadata":{"ownerReferences":[{"$patch":"delete"}],"finalizers":[1,null]}}',
  '{"spec":{"$patch":"replace","$retainKeys":["x"],"$setElementOrder/containers":[1]}}',
  '{"__proto__":{"polluted":true},"spec":{"constructor":{"prototype":{"polluted":true}}}}',
  'null',
  '"x"',
];

/** A body for a request of that method. */
export function hostileBody(
  random: Random,
  method: string,
  gvk: Gvk | undefined,
  place: readonly [string, string],
): HostileBody {
  const [name, namespace] = place;
  if (method === 'PATCH' && random.next() < 0.7) {
    const text = random.next() < 0.7 ? random.pick(PATCHES) : JSON.stringify(nonsense(random, gvk, name, namespace));
    return { label: text.slice(0, 80), contentType: random.pick(PATCH_TYPES), bytes: Buffer.from(text) };
  }
  if (random.next() < 0.5) {
    const text = JSON.stringify(nonsense(random, gvk, name, namespace));
    return {
      label: text.slice(0, 200),
      contentType: random.next() < 0.8 ? JSON_TYPE : YAML_TYPE,
      bytes: Buffer.from(text),
    };
  }
  const label = random.pick(Object.keys(BROKEN));
  const [contentType, body] = BROKEN[label]!(random, gvk);
  return { label, contentType, bytes: Buffer.from(body) };
}

const noise = (random: Random): Buffer =>
  Buffer.from(Array.from({ length: random.between(1, 200) }, () => random.between(0, 255)));

/** A few hundred bytes that would become billions of elements. */
function yamlBomb(): string {
  const names = [...'abcdefghij'];
  return names.map((name, i) => `${name}: &${name} [${Array(10).fill(i === 0 ? 'x' : `*${names[i - 1]}`)}]`).join('\n');
}
