import { type Persisted, PersistentVolumeClaim, Pod, type UnknownObject } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSpec } from '@vireo/api/kinds/cdi/dataVolumeSpec.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { ResourceRef } from '@vireo/kube';
import {
  CLAIM,
  cronOfDataSource,
  DATA_VOLUME,
  DEPENDENCIES,
  imageOfClaim,
  instancetypeAndPreference,
  namedByPool,
  notedOnVm,
  VM_MOVES,
  VMI_MOVES,
  VMI_REFERENCES,
} from './dependencies.ts';
import { kindKey } from './kinds.ts';
import { KINDS_OF_VMS, type KindOfVms, limitOf } from './ofVms.ts';
import { type Needed, neededBy } from './references.ts';

/** What the one who asks may know of an object. */
export type Found =
  | { readonly status: 'present'; readonly object: UnknownObject }
  | { readonly status: 'missing' | 'forbidden' };

/** Where a traversal looks: everything it gives, the one who asks may see. */
export interface Lookup {
  find(kind: ResourceRef, namespace: string, name: string): Promise<Found>;
  /** The pod that a VMI runs in. */
  launcherOf(namespace: string, vmiName: string): Promise<Persisted<UnknownObject> | undefined>;
  /** The claim that keeps UEFI variables, a TPM or changed blocks of a VM. */
  stateClaimOf(namespace: string, vmName: string): Promise<Persisted<UnknownObject> | undefined>;
  /** The objects of a kind that are about a VM: its snapshots, backups, restores. */
  objectsOf(of: KindOfVms, namespace: string, vmName: string): Promise<readonly Persisted<UnknownObject>[]>;
  /** Harvester's quota of a namespace. */
  quotaOf(namespace: string): Promise<Persisted<HarvesterQuota> | undefined>;
  /** The exports that have an object of the namespace as their source. */
  exportsOf(source: ResourceRef, namespace: string, name: string): Promise<readonly Persisted<UnknownObject>[]>;
  /** The VMIs of a replica set. */
  vmisOf(namespace: string, replicaSet: string): Promise<readonly Vmi[]>;
  /** The VMs of a pool. */
  vmsOf(namespace: string, pool: string): Promise<readonly Vm[]>;
}

/** An object in a graph, and what it depends on. */
export interface GraphNode extends Needed {
  readonly status: Found['status'];
  /** Only of what is present. */
  readonly object?: UnknownObject;
  /** It depends on more that is not shown, for the chain that leads here is too long. */
  readonly isCut?: boolean;
  readonly children: readonly GraphNode[];
}

/** Where objects say what they belong to. */
const OWNED = 'metadata.ownerReferences';

/** How far a chain of references is followed: sources of sources of claims have no end otherwise. */
export const MAX_LEVELS = 32;

/** Kinds that exports have as their source. */
const EXPORTED = new Set([VirtualMachine, PersistentVolumeClaim, VirtualMachineSnapshot].map(kindKey));

export const nodeKey = ({ kind, namespace, name }: Pick<Needed, 'kind' | 'namespace' | 'name'>): string =>
  `${kindKey(kind)}/${namespace}/${name}`;

/** Everything that a VM depends on. `vmi`: its VMI, where it has one. */
export function graphOfVm(vm: Vm, vmi: Vmi | undefined, lookup: Lookup): Promise<GraphNode> {
  return new Traversal(lookup, vm).vm(vm, vmi);
}

/** Everything that a VMI depends on; the VM that it belongs to does not count. */
export function graphOfVmi(vmi: Vmi, lookup: Lookup): Promise<GraphNode> {
  return new Traversal(lookup).vmi(vmi);
}

/** What the template of a replica set depends on, and the VMIs that it has. */
export function graphOfReplicaSet(
  set: Persisted<VirtualMachineInstanceReplicaSet>,
  lookup: Lookup,
): Promise<GraphNode> {
  return new Traversal(lookup).replicaSet(set);
}

/** The VMs of a pool with everything that they depend on, and what its template depends on. */
export function graphOfPool(pool: Persisted<VirtualMachinePool>, lookup: Lookup): Promise<GraphNode> {
  return new Traversal(lookup).pool(pool);
}

class Traversal {
  readonly #lookup: Lookup;
  /** DataVolumes that the VM brings along: they need not exist yet. */
  readonly #templates: ReadonlyMap<string, { readonly spec: DataVolumeSpec; readonly fieldPath: string }>;
  /** What was found, by key: shared objects are read once. */
  readonly #found: Map<string, Promise<Found>>;

  constructor(lookup: Lookup, vm?: Vm, found = new Map<string, Promise<Found>>()) {
    this.#lookup = lookup;
    this.#found = found;
    this.#templates = new Map(
      (vm?.spec.dataVolumeTemplates ?? []).map(({ metadata, spec }, i) => [
        metadata?.name ?? '',
        { spec, fieldPath: `spec.dataVolumeTemplates[${i}]` },
      ]),
    );
  }

  async vm(vm: Vm, vmi: Vmi | undefined): Promise<GraphNode> {
    const { name, namespace = '' } = vm.metadata;
    const base = 'spec.template.spec';
    const disks = neededBy({ ...vm }, namespace, VMI_REFERENCES.disks, base);
    const children = await Promise.all([
      vmi ? this.#vmiOf(vm, vmi, disks) : [],
      this.#nodes(instancetypeAndPreference(vm)),
      this.#nodes(disks),
      this.#nodes(neededBy({ ...vm }, namespace, VM_MOVES)),
      this.#nodes(this.#unusedTemplates(disks, namespace)),
      this.#stateClaim(namespace, name),
      this.#nodes(neededBy({ ...vm }, namespace, VMI_REFERENCES.rest, base)),
      this.#nodes(notedOnVm(vm)),
      Promise.all(KINDS_OF_VMS.map((of) => this.#about(of, namespace, name))).then((each) => each.flat()),
      this.#quota(namespace, name),
      this.#exports({ kind: VirtualMachine, namespace, name }).then((exports) => this.#nodes(exports)),
    ]);
    return root(VirtualMachine, namespace, name, children.flat());
  }

  async vmi(vmi: Vmi): Promise<GraphNode> {
    const { name, namespace = '' } = vmi.metadata;
    const children = await Promise.all([
      this.#launcher(namespace, name),
      this.#nodes(neededBy({ ...vmi }, namespace, VMI_REFERENCES.disks, 'spec')),
      this.#nodes(neededBy({ ...vmi }, namespace, VMI_MOVES)),
      this.#stateClaim(namespace, name),
      this.#nodes(neededBy({ ...vmi }, namespace, VMI_REFERENCES.rest, 'spec')),
    ]);
    return root(VirtualMachineInstance, namespace, name, children.flat());
  }

  async replicaSet(set: Persisted<VirtualMachineInstanceReplicaSet>): Promise<GraphNode> {
    const { name, namespace = '' } = set.metadata;
    const base = 'spec.template.spec';
    const disks = neededBy({ ...set }, namespace, VMI_REFERENCES.disks, base);
    const known = new Set(disks.map(nodeKey));
    const vmis = await this.#lookup.vmisOf(namespace, name);
    const children = await Promise.all([
      Promise.all(vmis.map((vmi) => this.#replica(vmi, known))),
      this.#nodes(disks),
      this.#nodes(neededBy({ ...set }, namespace, VMI_REFERENCES.rest, base)),
    ]);
    return root(VirtualMachineInstanceReplicaSet, namespace, name, children.flat());
  }

  async pool(pool: Persisted<VirtualMachinePool>): Promise<GraphNode> {
    const { name, namespace = '' } = pool.metadata;
    const vms = await this.#lookup.vmsOf(namespace, name);
    const children = await Promise.all([
      Promise.all(vms.map((vm) => this.#member(vm))),
      this.#nodes(namedByPool(pool)),
    ]);
    return root(VirtualMachinePool, namespace, name, children.flat());
  }

  /** A VM of a pool, with DataVolumes of its own. What several VMs share is read once. */
  async #member(vm: Vm): Promise<GraphNode> {
    const { name, namespace = '' } = vm.metadata;
    const vmi = await this.#find({ kind: VirtualMachineInstance, namespace, name });
    const running = vmi.status === 'present' ? (vmi.object as unknown as Vmi) : undefined;
    const { children } = await new Traversal(this.#lookup, vm, this.#found).vm(vm, running);
    return { ...root(VirtualMachine, namespace, name, children), fieldPath: OWNED, object: { ...vm } };
  }

  /** A VMI of a set: its pod, its state, and what the template does not name. */
  async #replica(vmi: Vmi, ofTemplate: ReadonlySet<string>): Promise<GraphNode> {
    const { name, namespace = '' } = vmi.metadata;
    const children = await Promise.all([
      this.#launcher(namespace, name),
      this.#stateClaim(namespace, name),
      this.#pluggedDisks(vmi, ofTemplate),
    ]);
    return {
      kind: VirtualMachineInstance,
      name,
      namespace,
      fieldPath: OWNED,
      isOptional: false,
      status: 'present',
      object: { ...vmi },
      children: children.flat(),
    };
  }

  /** The disks that were plugged into a VMI alone. */
  #pluggedDisks(vmi: Vmi, known: ReadonlySet<string>): Promise<readonly GraphNode[]> {
    const disks = neededBy({ ...vmi }, vmi.metadata.namespace ?? '', VMI_REFERENCES.disks, 'spec');
    return this.#nodes(disks.filter((each) => !known.has(nodeKey(each))));
  }

  /** The VMI of a VM: its pod, and the disks that were plugged into it alone. */
  async #vmiOf(vm: Vm, vmi: Vmi, ofVm: readonly Needed[]): Promise<readonly GraphNode[]> {
    const { name, namespace = '' } = vm.metadata;
    const needed: Needed = {
      kind: VirtualMachineInstance,
      name,
      namespace,
      fieldPath: 'metadata.name',
      isOptional: false,
    };
    const found = await this.#find(needed);
    if (found.status !== 'present') return [{ ...needed, ...found, children: [] }];
    const known = new Set(ofVm.map(nodeKey));
    const children = await Promise.all([this.#launcher(namespace, name), this.#pluggedDisks(vmi, known)]);
    return [{ ...needed, ...found, children: children.flat() }];
  }

  /** The VM has them made even where no disk of it uses them. */
  #unusedTemplates(disks: readonly Needed[], namespace: string): readonly Needed[] {
    const used = new Set(disks.filter(({ kind }) => kind === DataVolume).map(({ name }) => name));
    return [...this.#templates]
      .filter(([name]) => name !== '' && !used.has(name))
      .map(([name, { fieldPath }]) => ({
        kind: DataVolume,
        name,
        namespace,
        fieldPath: `${fieldPath}.metadata.name`,
        isOptional: false,
      }));
  }

  async #launcher(namespace: string, vmiName: string): Promise<readonly GraphNode[]> {
    const pod = await this.#lookup.launcherOf(namespace, vmiName);
    return this.#nodes(this.#discoveredNeeds(Pod, pod ? [pod] : [], OWNED));
  }

  async #stateClaim(namespace: string, vmName: string): Promise<readonly GraphNode[]> {
    const claim = await this.#lookup.stateClaimOf(namespace, vmName);
    return this.#nodes(this.#discoveredNeeds(PersistentVolumeClaim, claim ? [claim] : [], 'metadata.labels'));
  }

  /** Objects of a kind that are about a VM, such as its snapshots. */
  async #about(of: KindOfVms, namespace: string, vmName: string): Promise<readonly GraphNode[]> {
    const objects = await this.#lookup.objectsOf(of, namespace, vmName);
    return this.#nodes(this.#discoveredNeeds(of.kind, objects, of.fieldPath, true));
  }

  /** The quota that says how much the VM's snapshots may take. */
  async #quota(namespace: string, vmName: string): Promise<readonly GraphNode[]> {
    const quota = await this.#lookup.quotaOf(namespace);
    const fieldPath = quota && limitOf(quota, vmName);
    return fieldPath ? this.#nodes(this.#discoveredNeeds(HarvesterQuota, [{ ...quota }], fieldPath, true)) : [];
  }

  async #exports({ kind, namespace, name }: Pick<Needed, 'kind' | 'namespace' | 'name'>): Promise<readonly Needed[]> {
    const exports = await this.#lookup.exportsOf(kind, namespace, name);
    return this.#discoveredNeeds(VirtualMachineExport, exports, 'spec.source.name', true);
  }

  /** Objects that name another instead of being named by it; the field is theirs. */
  #discoveredNeeds(
    kind: ResourceRef,
    objects: readonly Persisted<UnknownObject>[],
    fieldPath: string,
    isOptional = false,
  ): readonly Needed[] {
    return objects.map((object) => {
      const { name, namespace = '' } = object.metadata;
      const each: Needed = { kind, name, namespace, fieldPath, isOptional };
      this.#found.set(nodeKey(each), Promise.resolve({ status: 'present', object }));
      return each;
    });
  }

  #nodes(needed: readonly Needed[], above: readonly string[] = []): Promise<readonly GraphNode[]> {
    return Promise.all(needed.map((each) => this.#node(each, above)));
  }

  async #node(needed: Needed, above: readonly string[]): Promise<GraphNode> {
    const found = await this.#find(needed);
    const key = nodeKey(needed);
    const node = { ...needed, ...found, children: [] };
    if (above.includes(key)) return node;
    const below = await this.#below(needed, found);
    if (below.length > 0 && above.length >= MAX_LEVELS) return { ...node, isCut: true };
    const path = [...above, key];
    return {
      ...node,
      children: await this.#nodes(needed.kind === VirtualMachineExport ? withoutAbove(below, path) : below, path),
    };
  }

  /** What an object needs in turn. Whoever can do without the object can do without that. */
  async #below(needed: Needed, found: Found): Promise<readonly Needed[]> {
    const below = await this.#declaredNeeds(needed, found);
    return needed.isOptional ? below.map((each) => ({ ...each, isOptional: true })) : below;
  }

  async #declaredNeeds(needed: Needed, found: Found): Promise<readonly Needed[]> {
    const { kind, namespace } = needed;
    if (kind === DataVolume) return this.#ofDataVolume(needed, found);
    if (found.status !== 'present') return [];
    const declared = [
      ...neededBy(found.object, namespace, DEPENDENCIES.get(kindKey(kind)) ?? []),
      ...(kind === PersistentVolumeClaim ? imageOfClaim(found.object, namespace) : []),
      ...(kind === DataSource ? cronOfDataSource(found.object, namespace) : []),
    ];
    return EXPORTED.has(kindKey(kind)) ? [...declared, ...(await this.#exports(needed))] : declared;
  }

  /** Its claim first, which is known by name; then what the data comes from. */
  async #ofDataVolume(needed: Needed, found: Found): Promise<readonly Needed[]> {
    const { name, namespace } = needed;
    const claim: Needed = { ...needed, kind: PersistentVolumeClaim, fieldPath: 'metadata.name', isOptional: false };
    const template = this.#templates.get(name);
    const dataVolume = found.status === 'present' ? found.object : template && { spec: template.spec };
    if (!dataVolume) return [claim];
    const isTemplate = found.status !== 'present' && template !== undefined;
    // As long as there is no claim, its class is known from here alone.
    const wanted = ['spec.pvc', 'spec.storage'].map((each) => ({ each, references: CLAIM }));
    const hasClaim = (await this.#find(claim)).status === 'present';
    const others = [
      ...neededBy(dataVolume, namespace, DATA_VOLUME, 'spec'),
      ...(hasClaim ? [] : neededBy(dataVolume, namespace, wanted)),
    ];
    return [
      claim,
      ...others.map((each) => (isTemplate ? { ...each, fieldPath: `${template.fieldPath}.${each.fieldPath}` } : each)),
    ];
  }

  #find(needed: Pick<Needed, 'kind' | 'namespace' | 'name'>): Promise<Found> {
    const key = nodeKey(needed);
    let found = this.#found.get(key);
    if (!found) {
      found = this.#lookup.find(needed.kind, needed.namespace, needed.name);
      this.#found.set(key, found);
    }
    return found;
  }
}

/** What an export needs beside its source, each once: the user and the system may both name the Secret. */
const withoutAbove = (needed: readonly Needed[], above: readonly string[]): readonly Needed[] => {
  const once = new Map(needed.map((each) => [nodeKey(each), each]));
  return [...once.values()].filter((each) => !above.includes(nodeKey(each)));
};

const root = (kind: ResourceRef, namespace: string, name: string, children: readonly GraphNode[]): GraphNode => ({
  kind,
  name,
  namespace,
  fieldPath: '',
  isOptional: false,
  status: 'present',
  children,
});
