import type { Case, Step } from '../case.ts';
import { EVERYTHING } from './schemas.ts';
import { apply, crd, create, edit, get, mergePatch, remove } from './steps.ts';

const of = (name: string, ...steps: Step[]): Case => ({
  name: `apply: ${name}`,
  area: 'apply',
  steps: [crd(EVERYTHING), ...steps],
});

const owner = (name: string) => ({ apiVersion: '{group}/v1', kind: 'Widget', name, uid: `{uid of ${name}}` });

/** What applies by one and by several managers do to an object. */
export const APPLY: readonly Case[] = [
  of(
    'a conflict with one manager',
    apply('a', { spec: { text: 'x' } }),
    apply('b', { spec: { text: 'y' } }),
    apply('b', { spec: { text: 'y' } }, { force: true }),
    apply('a', { spec: { text: 'x' } }),
  ),
  of(
    'a conflict with an updater',
    create({ spec: { text: 'x', replicas: 1 } }, { manager: 'creator' }),
    apply('b', { spec: { text: 'y', replicas: 2 } }),
    apply('b', { spec: { text: 'y', replicas: 2 } }, { force: true }),
  ),
  of(
    'conflicts with several managers',
    create({ spec: { text: 'x', replicas: 1 } }, { manager: 'creator' }),
    apply('a', {
      spec: {
        labels: { k: 'v' },
        items: [{ name: 'one', value: '1' }],
        set: ['s'],
        nested: { a: '1' },
        maps: { m: { a: '1' } },
      },
    }),
    mergePatch({ spec: { list: ['x'], numbers: [1], whole: { a: '1' } } }, { manager: 'patcher' }),
    apply('b', {
      spec: {
        text: 'y',
        replicas: 2,
        labels: { k: 'w' },
        items: [{ name: 'one', value: '2' }],
        set: ['s', 't'],
        nested: { a: '2' },
        maps: { m: { a: '2' } },
        list: ['y'],
        whole: { a: '2' },
      },
    }),
  ),
  of(
    'shared ownership and its end',
    apply('a', { spec: { text: 'x', replicas: 1 } }),
    apply('b', { spec: { text: 'x' } }),
    apply('a', { spec: { replicas: 1 } }),
    apply('b', { spec: {} }),
    get(),
  ),
  of(
    'removal of what is no longer applied',
    apply('a', {
      metadata: { labels: { l: '1', m: '2' }, annotations: { n: '1' }, finalizers: ['example.com/f'] },
      spec: {
        text: 'x',
        nested: { a: '1', b: '2' },
        labels: { k: 'v', l: 'w' },
        items: [{ name: 'one', value: '1' }, { name: 'two' }],
        set: ['a', 'b'],
        list: ['x'],
        defaulted: 'mine',
      },
    }),
    apply('a', {
      metadata: { labels: { l: '1' } },
      spec: { nested: { a: '1' }, labels: { k: 'v' }, items: [{ name: 'two' }], set: ['b'] },
    }),
    apply('a', { spec: {} }),
    apply('a', {}),
  ),
  of(
    'removal leaves what others own',
    apply('a', {
      spec: {
        nested: { a: '1', b: '2' },
        items: [{ name: 'one', value: '1' }],
        labels: { k: 'v' },
        set: ['x', 'y'],
        maps: { m: { a: '1' } },
      },
    }),
    apply('b', {
      spec: {
        nested: { b: '2' },
        items: [{ name: 'one', more: { x: 'y' } }],
        labels: { k: 'v' },
        set: ['x'],
        maps: { m: { b: '2' } },
      },
    }),
    apply('a', {}),
    apply('b', {}),
  ),
  of(
    'removal leaves what an updater owns',
    apply('a', { spec: { nested: { a: '1' }, items: [{ name: 'one', value: '1' }] } }),
    mergePatch({ spec: { nested: { b: '2' } } }, { manager: 'patcher' }),
    edit({ spec: { items: [{ name: 'one', value: '1', more: { x: 'y' } }] } }, { manager: 'updater' }),
    apply('a', {}),
  ),
  of(
    'an updater takes what it changes',
    apply('a', { spec: { text: 'x', replicas: 1 } }),
    mergePatch({ spec: { text: 'y' } }, { manager: 'patcher' }),
    apply('a', { spec: { replicas: 1 } }),
    apply('a', { spec: { replicas: 1, text: 'y' } }),
    apply('a', { spec: { replicas: 1 } }),
  ),
  of(
    'the first apply to an object that nobody tracked',
    create({ spec: { text: 'x', replicas: 1, set: ['a'] } }, { manager: 'creator' }),
    mergePatch({ metadata: { managedFields: [] } }, { manager: 'reset' }),
    apply('a', { spec: { text: 'y' } }),
    apply('a', { spec: { text: 'x' } }),
    apply('a', { spec: { text: 'y' } }, { force: true }),
  ),
  of(
    'atomic lists and maps',
    apply('a', { spec: { list: ['x'], whole: { a: '1' }, wholeLabels: { k: 'v' }, objects: [{ a: '1' }] } }),
    apply('b', { spec: { list: ['x'], whole: { a: '1' } } }),
    apply('b', {
      spec: { list: ['x', 'y'], whole: { a: '1', b: '2' }, wholeLabels: { l: 'w' }, objects: [{ a: '1' }, { b: '2' }] },
    }),
    apply('b', { spec: { list: [], whole: {} } }, { force: true }),
    apply('a', { spec: {} }),
  ),
  of(
    'the order of merged lists',
    apply('a', { spec: { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], set: ['1', '2', '3'] } }),
    apply('b', { spec: { items: [{ name: 'x' }, { name: 'c' }, { name: 'a' }], set: ['9', '3', '1'] } }),
    apply('c', { spec: { items: [{ name: 'b' }, { name: 'y' }], set: ['8', '2'] } }),
    apply('a', { spec: { items: [{ name: 'c' }, { name: 'b' }], set: ['3', '2'] } }),
    apply('d', { spec: { items: [{ name: 'z' }], set: ['7'] } }),
  ),
  of(
    'keys of list items that have a default',
    apply('a', { spec: { ports: [{ port: 80, name: 'http' }] } }),
    apply('b', {
      spec: {
        ports: [
          { port: 80, protocol: 'TCP', name: 'http' },
          { port: 80, protocol: 'UDP' },
        ],
      },
    }),
    apply('a', { spec: { ports: [] } }),
    apply('b', { spec: { ports: [{ port: 80, protocol: 'UDP' }] } }),
  ),
  of(
    'unknown fields are deduced where the schema keeps them',
    apply('a', { spec: { any: { k: { l: [1, 2], m: { n: 1 } } }, anything: [1, { a: 2 }] } }),
    apply('b', { spec: { any: { k: { l: [1], m: { n: 2, o: 3 } } }, anything: [1] } }),
    apply('b', { spec: { any: { k: { m: { o: 3 } } }, anything: { x: {} } } }, { force: true }),
    apply('a', { spec: { any: { k: {} } } }),
  ),
  of(
    'embedded resources',
    apply('a', {
      spec: {
        resource: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'n', labels: { a: 'b' }, creationTimestamp: null },
          data: { k: 'v' },
        },
      },
    }),
    apply('b', {
      spec: {
        resource: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'n', finalizers: ['a/b'] },
          data: { l: 'w' },
        },
      },
    }),
    apply('a', { spec: {} }),
  ),
  of(
    'an object with a default',
    apply('a', { spec: { text: 'x' } }),
    apply('a', { spec: { text: 'x', defaulted: 'preset' } }),
    apply('b', { spec: { defaulted: 'other' } }),
    apply('a', { spec: { text: 'x', defaulted: 'changed' } }),
    apply('a', { spec: { text: 'x' } }),
  ),
  of(
    'metadata',
    create({}, { name: 'first' }),
    create({}, { name: 'second' }),
    apply('a', { metadata: { labels: { a: '1' }, finalizers: ['example.com/a'], ownerReferences: [owner('first')] } }),
    apply('b', {
      metadata: {
        labels: { a: '2', b: '1' },
        finalizers: ['example.com/b'],
        ownerReferences: [{ ...owner('first'), controller: true }],
      },
    }),
    apply('b', {
      metadata: { labels: { b: '1' }, finalizers: ['example.com/b'], ownerReferences: [owner('second')] },
    }),
    apply('a', {}),
  ),
  of(
    'metadata that cannot be applied',
    apply('a', {
      metadata: {
        labels: { a: '1' },
        generation: 7,
        creationTimestamp: '2020-01-01T00:00:00Z',
        selfLink: '/x',
        deletionTimestamp: '2020-01-01T00:00:00Z',
      },
    }),
    apply('a', { metadata: { generateName: 'x-' } }),
    apply('a', { metadata: { namespace: 'default', unknown: 'x' } }),
    apply('a', { metadata: { labels: { a: 1 } } }),
  ),
  of(
    'an applied version',
    apply('a', { spec: { text: 'x' } }),
    apply('a', { metadata: { resourceVersion: '1' }, spec: { text: 'y' } }),
    apply('a', { metadata: { resourceVersion: '{resourceVersion}' }, spec: { text: 'z' } }),
    apply('a', { metadata: { resourceVersion: 'nonsense' }, spec: { text: 'z' } }),
    apply('a', { metadata: { uid: '{uid}' }, spec: { text: 'z' } }),
    apply('a', { metadata: { uid: 'other' }, spec: { text: 'z' } }),
    apply('a', { metadata: { uid: '' }, spec: { text: 'z' } }),
  ),
  of('an applied uid of an object that is not there', apply('a', { metadata: { uid: 'u' }, spec: {} })),
  of('an applied version of an object that is not there', apply('a', { metadata: { resourceVersion: '5' }, spec: {} })),
  of(
    'an object that is being deleted',
    apply('a', { metadata: { finalizers: ['example.com/f'] }, spec: { text: 'x' } }),
    remove(),
    apply('b', { spec: { text: 'x', replicas: 1 } }),
    apply('a', { spec: { text: 'x' } }),
    get(),
  ),
  of(
    'an int-or-string and a number of another form',
    apply('a', { spec: { port: 80, number: 1, replicas: 1 } }),
    apply('b', { spec: { port: '80', number: 1.0 } }),
    apply('b', { spec: { port: 80, number: 1.0 } }),
    apply('c', { spec: { replicas: 1.5 } }),
    apply('c', { spec: { port: '80' } }, { force: true }),
  ),
  of(
    'dates are texts',
    apply('a', { spec: { time: '2026-01-02T03:04:05Z' } }),
    apply('b', { spec: { time: '2026-01-02T03:04:05+00:00' } }),
    apply('b', { spec: { time: 'nonsense' } }, { force: true }),
  ),
];
