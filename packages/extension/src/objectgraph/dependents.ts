import {
  ConfigMap,
  ControllerRevision,
  forbidden,
  type Persisted,
  PersistentVolumeClaim,
  Secret,
  ServiceAccount,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachineInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachinePreference } from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import type { Client, Informers, ResourceRef, UserInfo } from '@vireo/kube';
import { rightsOf } from '../rights.ts';
import { instancetypeAndPreference, namedByPool, VMI_REFERENCES } from './dependencies.ts';
import { nodeKey } from './graph.ts';
import { type Needed, neededBy } from './references.ts';

/** Kinds that VMs name: of their objects one can ask which VMs need them. */
export const NAMED_KINDS: readonly ResourceRef[] = [
  PersistentVolumeClaim,
  DataVolume,
  ConfigMap,
  Secret,
  ServiceAccount,
  NetworkAttachmentDefinition,
  ControllerRevision,
  VirtualMachineInstancetype,
  VirtualMachinePreference,
];

/** The kind by its plural, where `dependents` can be asked of it. */
export const namedKind = (plural: string): ResourceRef | undefined =>
  NAMED_KINDS.find((kind) => kind.plural === plural);

/** What a VM names itself, the claims of its DataVolumes among it. */
function namedByVm(vm: VirtualMachine): readonly Needed[] {
  const { namespace = '' } = vm.metadata;
  const sections = [...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest];
  const templates = { each: 'spec.dataVolumeTemplates[]', references: [{ at: 'metadata.name', to: DataVolume }] };
  return withClaims([
    ...instancetypeAndPreference(vm),
    ...neededBy({ ...vm }, namespace, sections, 'spec.template.spec'),
    ...neededBy({ ...vm }, namespace, [templates]),
  ]);
}

/** The same of a VMI that belongs to no VM. */
function namedByVmi(vmi: VirtualMachineInstance): readonly Needed[] {
  const { namespace = '', ownerReferences = [] } = vmi.metadata;
  if (ownerReferences.some(({ kind }) => kind === VirtualMachine.kind)) return [];
  return withClaims(neededBy({ ...vmi }, namespace, [...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest], 'spec'));
}

/** The same of the template of a replica set, which may have no VMI at the moment. */
function namedByReplicaSet(set: VirtualMachineInstanceReplicaSet): readonly Needed[] {
  const { namespace = '' } = set.metadata;
  return withClaims(
    neededBy({ ...set }, namespace, [...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest], 'spec.template.spec'),
  );
}

const withClaims = (needed: readonly Needed[]): readonly Needed[] =>
  needed.flatMap((each) => (each.kind === DataVolume ? [each, { ...each, kind: PersistentVolumeClaim }] : [each]));

/** A VM, a replica set, a pool or a VMI that needs the object. */
export interface Dependent {
  readonly objectReference: {
    readonly apiGroup: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
  };
  /** Whether it would go on without. */
  readonly optional: boolean;
  readonly fieldPaths: readonly string[];
}

/** Which VMs name an object: from an index, which is made when it is first asked for. */
export function dependentsReader(client: Client, informers: Informers) {
  return async (kind: ResourceRef, namespace: string, name: string, user: UserInfo): Promise<object> => {
    const rights = rightsOf(client, user);
    if (!(await rights.mayList(VirtualMachine, namespace))) {
      const why = `User "${user.username}" cannot list VMs in the namespace "${namespace}"`;
      throw forbidden({ group: kind.group, resource: `${kind.plural}/dependents` }, name, why);
    }
    const object = { kind, namespace, name };
    const vms = informers.for(VirtualMachine, { indexes: { names: keysOfVm } });
    const vmis = informers.for(VirtualMachineInstance, { indexes: { names: keysOfVmi } });
    const sets = informers.for(VirtualMachineInstanceReplicaSet, { indexes: { names: keysOfReplicaSet } });
    const pools = informers.for(VirtualMachinePool, { indexes: { names: keysOfPool } });
    await Promise.all([vms, vmis, sets, pools].map((informer) => informer.whenSynced()));
    const key = nodeKey(object);
    const found = [
      ...vms.byIndex('names', key).map((vm) => dependent(VirtualMachine, vm, namedByVm(vm), key)),
      ...vmis.byIndex('names', key).map((vmi) => dependent(VirtualMachineInstance, vmi, namedByVmi(vmi), key)),
      ...sets
        .byIndex('names', key)
        .map((set) => dependent(VirtualMachineInstanceReplicaSet, set, namedByReplicaSet(set), key)),
      ...pools
        .byIndex('names', key)
        .map((pool) => dependent(VirtualMachinePool, pool, withClaims(namedByPool(pool)), key)),
    ];
    const isVisible = await Promise.all(
      found.map(({ of, item }) => rights.mayList(of, item.objectReference.namespace)),
    );
    const items = found.filter((_, i) => isVisible[i]).map(({ item }) => item);
    return { items: items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) };
  };
}

const keysOf = (needed: readonly Needed[]): string[] => [...new Set(needed.map(nodeKey))];
const keysOfVm = (vm: VirtualMachine): string[] => keysOf(namedByVm(vm));
const keysOfReplicaSet = (set: VirtualMachineInstanceReplicaSet): string[] => keysOf(namedByReplicaSet(set));
const keysOfPool = (pool: VirtualMachinePool): string[] => keysOf(withClaims(namedByPool(pool)));
const keysOfVmi = (vmi: VirtualMachineInstance): string[] => keysOf(namedByVmi(vmi));

function dependent(of: ResourceRef, { metadata }: Persisted, needed: readonly Needed[], key: string) {
  const { name, namespace = '' } = metadata;
  const references = needed.filter((each) => nodeKey(each) === key);
  const item: Dependent = {
    objectReference: { apiGroup: of.group, kind: of.kind, name, namespace },
    optional: references.every(({ isOptional }) => isOptional),
    fieldPaths: [...new Set(references.map(({ fieldPath }) => fieldPath))],
  };
  return { of, item };
}

const sortKey = ({ objectReference: { namespace, name, kind } }: Dependent): string => `${namespace}/${name}/${kind}`;
