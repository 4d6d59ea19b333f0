import type { KubeObject, Persisted, Pod } from '@vireo/api';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { MIGRATION_JOB_LABEL, type Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { InformerHandlers } from '@vireo/kube';
import { type IndexFunction, ObjectCache } from '@vireo/kube/objectCache.ts';
import { expect, it } from 'vitest';
import { frozen, vmiWith } from '../testing/objects.ts';
import { type Admission, OPEN, watchAdmission } from './admission.ts';

/** An informer that is told what its server would tell. */
function informerOf<T extends KubeObject>(indexes: Readonly<Record<string, IndexFunction<Persisted<T>>>> = {}) {
  const cache = new ObjectCache<Persisted<T>>();
  for (const [name, values] of Object.entries(indexes)) cache.addIndex(name, values);
  const all: InformerHandlers<T>[] = [];
  const publish = (changes: ReturnType<typeof cache.set>): void => {
    for (const change of changes)
      for (const handlers of all) {
        if (change.type === 'updated') handlers.updated?.(change.old, change.object);
        else if (change.type === 'added') handlers.added?.(change.object);
        else handlers.deleted?.(change.object, { finalStateUnknown: false });
      }
  };
  return {
    get: (key: string) => cache.get(key),
    byIndex: (name: string, value: string) => cache.byIndex(name, value),
    on(handlers: InformerHandlers<T>) {
      all.push(handlers);
      return () => {};
    },
    set: (object: Persisted<T>) => publish(cache.set(object)),
    delete: (object: Persisted<T>) => publish(cache.delete(object)),
  };
}

let version = 0;
const metadataOf = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  namespace: 'shop',
  uid: name,
  resourceVersion: String(++version),
  labels,
});
const migration = (name: string, phase: string): Migration =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: metadataOf(name),
    spec: { vmiName: name },
    status: { phase },
  });
const vmi = (name: string, nodeName: string, status: VmiStatus = {}): Vmi =>
  vmiWith({ phase: 'Running', nodeName, ...status }, metadataOf(name));
const target = (name: string): Persisted<Pod> =>
  frozen({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(`virt-launcher-${name}`, { [MIGRATION_JOB_LABEL]: name }),
  });
const kubevirt = (): Persisted<KubeVirt> =>
  frozen({ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: metadataOf('kubevirt'), spec: {} });

/** Three VMIs of node `a` that wait, with one place on each node. */
function drain() {
  const migrations = informerOf<Migration>(OPEN);
  const vmis = informerOf<Vmi>();
  const pods = informerOf<Pod>();
  const kubevirts = informerOf<KubeVirt>();
  const limits = { perCluster: 5, perNode: 1 };
  let computed = 0;
  const admission = watchAdmission({
    migrations,
    vmis,
    pods,
    kubevirts,
    limits: () => {
      computed += 1;
      return { ...limits };
    },
    hasTarget: ({ metadata }) => pods.get(`shop/virt-launcher-${metadata.name}`) !== undefined,
  });
  for (const name of ['m1', 'm2', 'm3']) {
    vmis.set(vmi(name, 'a'));
    migrations.set(migration(name, 'Pending'));
  }
  return { migrations, vmis, pods, kubevirts, limits, admission, computed: () => computed };
}
type Drain = ReturnType<typeof drain>;

it('the queue is worked out once, however many ask, and again only after a change that counts', () => {
  const { admission, computed, vmis, migrations, pods } = drain();
  expect(['m1', 'm2', 'm3'].map((name) => admission.mayBegin(`shop/${name}`))).toEqual([true, false, false]);
  vmis.set(vmi('m2', 'a', { guestOSInfo: { name: 'Debian' } }));
  migrations.set(migration('m2', ''));
  pods.set(frozen({ apiVersion: 'v1', kind: 'Pod', metadata: metadataOf('virt-launcher-other') }));
  expect(admission.next()).toEqual(['shop/m1']);
  expect(computed()).toBe(1);
});

it.each<[what: string, change: (drain: Drain) => void, expected: string[]]>([
  ['one has begun', ({ migrations }) => migrations.set(migration('m1', 'Scheduling')), []],
  ['the target pod of one is there', ({ pods }) => pods.set(target('m1')), []],
  [
    'the target pod of one is gone',
    ({ pods, admission }) => {
      const pod = target('m1');
      pods.set(pod);
      admission.next();
      pods.delete(pod);
    },
    ['m1'],
  ],
  ['a pod of one is asked for', ({ admission }) => void admission.begins('m1'), []],
  ['a pod that was asked for is refused', ({ admission }) => takenBack(admission), ['m1']],
  [
    'one that a pod was asked for has ended',
    ({ admission, migrations }) => {
      admission.begins('m1');
      migrations.set(migration('m1', 'Failed'));
    },
    ['m2'],
  ],
  ['the first is gone', ({ migrations }) => migrations.delete(migration('m1', 'Pending')), ['m2']],
  ['a VMI is on another node', ({ vmis }) => vmis.set(vmi('m2', 'b')), ['m1', 'm2']],
  ['a VMI is gone', ({ vmis }) => vmis.delete(vmi('m2', 'a')), ['m1', 'm2']],
  [
    'there are more places',
    ({ limits, kubevirts }) => {
      limits.perNode = 2;
      kubevirts.set(kubevirt());
    },
    ['m1', 'm2'],
  ],
])('the queue is worked out anew when %s', (_, change, expected) => {
  const drained = drain();
  expect(drained.admission.next()).toEqual(['shop/m1']);
  change(drained);
  expect(drained.admission.next()).toEqual(expected.map((name) => `shop/${name}`));
});

function takenBack(admission: Admission): void {
  const takeBack = admission.begins('m1');
  admission.next();
  takeBack();
}
