import type { Persisted, UnknownObject } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import type { Lookup } from '../objectgraph/graph.ts';
import { graphKind, kindKey } from '../objectgraph/kinds.ts';

/** Objects as a traversal finds them; kinds in `forbidden` (`/Secret`) are hidden from the one who asks. */
export function lookupOf(given: readonly UnknownObject[], forbidden: ReadonlySet<string> = new Set()): Lookup {
  const objects = given.map(persisted);
  const visible = (kind: string): readonly Persisted<UnknownObject>[] =>
    forbidden.has(kind) ? [] : objects.filter((object) => keyOf(object) === kind);
  return {
    async find(kind, namespace, name) {
      if (forbidden.has(kindKey(kind))) return { status: 'forbidden' };
      const object = objects.find(
        (each) =>
          keyOf(each) === kindKey(kind) &&
          each.metadata.name === name &&
          (each.metadata.namespace ?? '') === (kind.namespaced ? namespace : ''),
      );
      return object ? { status: 'present', object } : { status: 'missing' };
    },
    launcherOf: async (_, vmiName) =>
      visible('/Pod').find(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === vmiName)),
    stateClaimOf: async (_, vm) =>
      visible('/PersistentVolumeClaim').find(({ metadata }) => metadata.labels?.['persistent-state-for'] === vm),
    objectsOf: async ({ kind }, _, vm) => visible(kindKey(kind)).filter(isOf(vm)),
    quotaOf: async () => visible('harvesterhci.io/ResourceQuota')[0],
    exportsOf: async ({ kind }, _, name) =>
      visible('export.kubevirt.io/VirtualMachineExport').filter(({ spec }) => sourceOf(spec) === `${kind} ${name}`),
    vmisOf: async (_, replicaSet) =>
      visible('kubevirt.io/VirtualMachineInstance').filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ name }) => name === replicaSet),
      ) as unknown as readonly Vmi[],
    vmsOf: async (_, pool) =>
      visible('kubevirt.io/VirtualMachine').filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ name }) => name === pool),
      ) as unknown as readonly Vm[],
  };
}

const isOf =
  (vm: string) =>
  ({ spec }: UnknownObject): boolean =>
    JSON.stringify(spec).includes(`"name":"${vm}"`);

const sourceOf = (spec: unknown): string => {
  const { source } = spec as { source: { kind: string; name: string } };
  return `${source.kind} ${source.name}`;
};

const keyOf = ({ apiVersion = '', kind = '' }: UnknownObject): string => {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return kindKey(graphKind(group, kind) ?? { group, kind });
};

/** An object by its kind and name, with whatever else it has. */
export const object = (
  type: string,
  name: string,
  { metadata, ...rest }: { metadata?: object; [field: string]: unknown } = {},
  namespace = 'default',
): UnknownObject => {
  const [apiVersion = '', kind = ''] = type.split(/ /);
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }), ...metadata }, ...rest };
};
