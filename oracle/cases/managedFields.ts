import type { Case, Step } from '../case.ts';
import { EVERYTHING } from './schemas.ts';
import { apply, crd, create, edit, get, jsonPatch, mergePatch, put, remove } from './steps.ts';

const of = (name: string, ...steps: Step[]): Case => ({
  name: `managed fields: ${name}`,
  area: 'apply',
  steps: [crd(EVERYTHING), ...steps],
});

const owner = { apiVersion: '{group}/v1', kind: 'Widget', name: 'owner', uid: '{uid of owner}' };

const full = {
  metadata: { labels: { app: 'x' }, annotations: { 'example.com/a': '1' }, finalizers: ['example.com/f'] },
  spec: {
    replicas: 1,
    text: 'a',
    flag: true,
    number: 1.5,
    port: 80,
    nested: { a: '1', deep: { c: '2' } },
    whole: { a: '1' },
    labels: { 'a.b/c': 'x', y: 'z' },
    wholeLabels: { k: 'v' },
    maps: { m: { a: '1' }, empty: {} },
    list: ['x', 'y'],
    objects: [{ a: '1' }],
    set: ['s1', 's2'],
    numbers: [1, 20],
    items: [{ name: 'one', value: '1', more: { x: 'y' } }, { name: 'two' }],
    ports: [{ port: 80 }, { port: 53, protocol: 'UDP', name: 'dns' }],
    any: { k: { l: [1, { m: 2 }] }, n: 'o' },
    anything: { list: [1], map: { a: 1 } },
    resource: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inner' }, data: { a: 'b' } },
    time: '2026-01-02T03:04:05Z',
  },
  status: { phase: 'ignored without the subresource?' },
};

const empties = {
  nested: {},
  whole: {},
  labels: {},
  wholeLabels: {},
  maps: {},
  list: [],
  objects: [],
  set: [],
  items: [],
  any: {},
  anything: {},
};

/** What every kind of write leaves in `metadata.managedFields`. */
export const MANAGED_FIELDS: readonly Case[] = [
  of('a create owns everything', create(full, { manager: 'creator' })),
  of('an apply that creates owns everything it names', apply('applier', full)),
  of('a create owns empty objects and lists', create({ spec: empties }, { manager: 'creator' })),
  of('an apply owns empty objects and lists', apply('applier', { spec: empties }), get()),
  of('a create of nothing but a name', create({}, { manager: 'creator' })),
  of('an apply of nothing but a name', apply('applier', {})),
  of('an empty spec', create({ spec: {} }, { manager: 'creator' })),
  of('an applied empty spec', apply('applier', { spec: {} })),
  of('nulls in a create', create({ spec: { maybe: null, text: null, defaulted: null, nested: null, items: null } })),
  of(
    'nulls in an apply',
    apply('applier', { spec: { maybe: null } }),
    apply('applier', { spec: { maybe: null, text: null, nested: null, items: null, list: null, set: null } }),
  ),
  of(
    'an apply of null to what another owns',
    create({ spec: { maybe: 'x', text: 't' } }),
    apply('applier', { spec: { maybe: null } }),
  ),
  of(
    'the user agent names a manager that is not given',
    create({ spec: { text: 'a' } }, { userAgent: 'kubectl/v1.36.0 (linux/amd64) kubernetes/abc' }),
    mergePatch({ spec: { replicas: 2 } }, { userAgent: 'curl' }),
    mergePatch({ spec: { flag: true } }, { userAgent: '' }),
    mergePatch({ spec: { number: 2 } }, { userAgent: '/x' }),
    mergePatch({ spec: { port: 2 } }, { userAgent: 'tab\there/1' }),
  ),
  of(
    'an update owns what it changes',
    create(
      { spec: { text: 'a', replicas: 1, nested: { a: '1' }, set: ['x'], items: [{ name: 'one', value: '1' }] } },
      { manager: 'creator' },
    ),
    edit({ spec: { text: 'b', nested: { b: '2' }, labels: { k: 'v' } } }, { manager: 'second' }),
    edit({ spec: { set: ['x', 'y'], items: [{ name: 'one', value: '2' }, { name: 'two' }] } }, { manager: 'third' }),
    edit({ spec: { replicas: null, set: ['y'] } }, { manager: 'fourth' }),
  ),
  of(
    'an update that changes nothing leaves the version',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    edit({}, { manager: 'second' }),
    mergePatch({ spec: { text: 'a' } }, { manager: 'third' }),
    apply('fourth', { spec: { text: 'a' } }),
    apply('fourth', { spec: { text: 'a' } }),
  ),
  of(
    'a replacement without managedFields keeps them',
    create({ spec: { text: 'a', replicas: 1 } }, { manager: 'creator' }),
    put({ metadata: { resourceVersion: '{resourceVersion}' }, spec: { text: 'b' } }, { manager: 'second' }),
  ),
  of(
    'an empty list of managedFields resets them',
    create({ spec: { text: 'a', replicas: 1 } }, { manager: 'creator' }),
    edit({ metadata: { managedFields: [] } }, { manager: 'second' }),
    mergePatch({ spec: { text: 'b' } }, { manager: 'third' }),
    apply('applier', { spec: { text: 'b' } }),
  ),
  of(
    'one empty entry of managedFields resets them',
    create({ spec: { text: 'a', replicas: 1 } }, { manager: 'creator' }),
    mergePatch({ metadata: { managedFields: [{}] } }, { manager: 'second' }),
    apply('applier', { spec: { text: 'b' } }),
    apply('applier', { spec: { text: 'b' } }, { force: true }),
  ),
  of(
    'null for managedFields',
    create({ spec: { text: 'a', replicas: 1 } }, { manager: 'creator' }),
    mergePatch({ metadata: { managedFields: null } }, { manager: 'second' }),
    jsonPatch([{ op: 'remove', path: '/metadata/managedFields' }], { manager: 'second' }),
    jsonPatch([{ op: 'replace', path: '/metadata/managedFields', value: [] }], { manager: 'second' }),
  ),
  of(
    'managedFields that a client writes',
    create({ spec: { text: 'a', replicas: 1 } }, { manager: 'creator' }),
    edit({ metadata: { managedFields: [entry({ 'f:spec': { 'f:text': {} } })] } }, { manager: 'second' }),
    edit(
      { spec: { replicas: 3 }, metadata: { managedFields: [entry({ 'f:spec': { 'f:text': {} } })] } },
      { manager: 'second' },
    ),
  ),
  of(
    'managedFields that are not right',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    ...[
      { ...entry({}), operation: 'Patch' },
      { ...entry({}), fieldsType: 'FieldsV2' },
      { ...entry({}), apiVersion: '' },
      { ...entry({}), apiVersion: 'nonsense/v9' },
      { ...entry({}), manager: 'm'.repeat(129) },
      { ...entry({}), manager: 'a\nb' },
      { ...entry({}), subresource: 's'.repeat(257) },
      entry({ 'x:y': {} }),
      entry({ spec: {} }),
      entry({ 'k:{': {} }),
      entry({ 'f:spec': 'text' }),
      { ...entry({}), fieldsV1: 'text' },
      { ...entry({}), fieldsV1: null },
      { ...entry({}), time: 'yesterday' },
    ].map((bad) => mergePatch({ metadata: { managedFields: [bad] } }, { manager: 'second' })),
  ),
  of(
    'managedFields that own something and are not right',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    ...[
      { manager: 'm'.repeat(129) },
      { manager: 'a\nb' },
      { manager: '' },
      { subresource: 's'.repeat(257) },
      { operation: '' },
      { operation: 'Update', apiVersion: 'other/v9' },
      { time: undefined },
      { fieldsType: '' },
      { apiVersion: '{group}/v9' },
    ].map((change) =>
      mergePatch(
        { metadata: { managedFields: [{ ...entry({ 'f:spec': { 'f:text': {} } }), ...change }] } },
        { manager: 'second' },
      ),
    ),
    get(),
    apply('applier', { spec: { text: 'a' } }),
  ),
  of(
    'managedFields in a create',
    create(
      { metadata: { managedFields: [entry({ 'f:spec': { 'f:text': {} } })] }, spec: { text: 'a', replicas: 1 } },
      { manager: 'creator' },
    ),
  ),
  of(
    'bad managedFields in a create',
    create({ metadata: { managedFields: [{ ...entry({}), operation: 'X' }] }, spec: { text: 'a' } }),
  ),
  of(
    'more than ten updaters',
    create({ spec: { labels: { base: '0' } } }, { manager: 'm00' }),
    ...Array.from({ length: 12 }, (_, index) =>
      mergePatch({ spec: { labels: { [`k${index}`]: 'v' } } }, { manager: `m${String(index + 1).padStart(2, '0')}` }),
    ),
    get(),
  ),
  of(
    'a deletion that waits for a finalizer',
    create({ metadata: { finalizers: ['example.com/f'] }, spec: { text: 'a' } }, { manager: 'creator' }),
    remove({ manager: 'deleter' }),
    get(),
    mergePatch({ metadata: { finalizers: null } }, { manager: 'finalizer' }),
    get(),
  ),
  of(
    'metadata that is tracked',
    create({}, { name: 'owner' }),
    create({ spec: {} }, { manager: 'creator' }),
    mergePatch({ metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }, { manager: 'second' }),
    mergePatch({ metadata: { ownerReferences: [owner] } }, { manager: 'third' }),
    mergePatch({ metadata: { finalizers: ['example.com/a', 'example.com/b'] } }, { manager: 'fourth' }),
    mergePatch({ metadata: { labels: null, finalizers: ['example.com/b'] } }, { manager: 'fifth' }),
    mergePatch({ metadata: { generateName: 'x-', deletionGracePeriodSeconds: 3 } }, { manager: 'sixth' }),
  ),
  of(
    'the name of a manager',
    create({ spec: {} }, { manager: 'm'.repeat(129) }),
    create({ spec: {} }, { manager: 'a\nb' }),
    create({ spec: {} }, { manager: 'ä ok' }),
    mergePatch({ spec: { text: 'x' } }, { manager: 'm'.repeat(129) }),
    edit({ spec: { text: 'x' } }, { manager: 'm'.repeat(129) }),
    remove({ manager: 'm'.repeat(129) }),
  ),
  of(
    'duplicates in lists of keys',
    create({
      spec: {
        items: [
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ],
      },
    }),
    create({ spec: { set: ['a', 'a'] } }),
    create({ spec: { items: [{ value: '1' }] } }),
    create({ spec: { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] } }),
  ),
  of(
    'a dry run tracks as well',
    create({ spec: { text: 'a' } }, { manager: 'creator', query: { dryRun: 'All' } }),
    get(),
    apply('applier', { spec: { text: 'a' } }, { query: { dryRun: 'All' } }),
    get(),
  ),
];

function entry(fieldsV1: unknown) {
  return {
    manager: 'written',
    operation: 'Apply',
    apiVersion: '{group}/v1',
    time: '2020-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
}
