import type { DependencyType, GraphObject } from './graphModel.ts';

interface GraphKind {
  readonly version: string;
  readonly plural: string;
  /** Whether the server says which machines name such an object. */
  readonly hasDependents?: true;
}

/** Kinds that the graph has, and where the API keeps them. Of others only the name is shown. */
const KINDS: Readonly<Record<string, GraphKind>> = {
  'kubevirt.io/VirtualMachine': { version: 'v1', plural: 'virtualmachines' },
  'kubevirt.io/VirtualMachineInstance': { version: 'v1', plural: 'virtualmachineinstances' },
  'kubevirt.io/VirtualMachineInstanceReplicaSet': { version: 'v1', plural: 'virtualmachineinstancereplicasets' },
  'pool.kubevirt.io/VirtualMachinePool': { version: 'v1beta1', plural: 'virtualmachinepools' },
  '/Pod': { version: 'v1', plural: 'pods' },
  '/PersistentVolumeClaim': { version: 'v1', plural: 'persistentvolumeclaims', hasDependents: true },
  '/PersistentVolume': { version: 'v1', plural: 'persistentvolumes' },
  '/ConfigMap': { version: 'v1', plural: 'configmaps', hasDependents: true },
  '/Secret': { version: 'v1', plural: 'secrets', hasDependents: true },
  '/ServiceAccount': { version: 'v1', plural: 'serviceaccounts', hasDependents: true },
  'apps/ControllerRevision': { version: 'v1', plural: 'controllerrevisions', hasDependents: true },
  'storage.k8s.io/StorageClass': { version: 'v1', plural: 'storageclasses' },
  'scheduling.k8s.io/PriorityClass': { version: 'v1', plural: 'priorityclasses' },
  'resource.k8s.io/ResourceClaim': { version: 'v1', plural: 'resourceclaims' },
  'resource.k8s.io/ResourceClaimTemplate': { version: 'v1', plural: 'resourceclaimtemplates' },
  'cdi.kubevirt.io/DataVolume': { version: 'v1beta1', plural: 'datavolumes', hasDependents: true },
  'cdi.kubevirt.io/DataSource': { version: 'v1beta1', plural: 'datasources' },
  'cdi.kubevirt.io/DataImportCron': { version: 'v1beta1', plural: 'dataimportcrons' },
  'snapshot.kubevirt.io/VirtualMachineSnapshot': { version: 'v1beta1', plural: 'virtualmachinesnapshots' },
  'snapshot.kubevirt.io/VirtualMachineSnapshotContent': {
    version: 'v1beta1',
    plural: 'virtualmachinesnapshotcontents',
  },
  'snapshot.kubevirt.io/VirtualMachineRestore': { version: 'v1beta1', plural: 'virtualmachinerestores' },
  'snapshot.storage.k8s.io/VolumeSnapshot': { version: 'v1', plural: 'volumesnapshots' },
  'snapshot.storage.k8s.io/VolumeSnapshotContent': { version: 'v1', plural: 'volumesnapshotcontents' },
  'harvesterhci.io/VirtualMachineBackup': { version: 'v1beta1', plural: 'virtualmachinebackups' },
  'harvesterhci.io/ScheduleVMBackup': { version: 'v1beta1', plural: 'schedulevmbackups' },
  'harvesterhci.io/VirtualMachineRestore': { version: 'v1beta1', plural: 'virtualmachinerestores' },
  'harvesterhci.io/ResourceQuota': { version: 'v1beta1', plural: 'resourcequotas' },
  'harvesterhci.io/VirtualMachineImage': { version: 'v1beta1', plural: 'virtualmachineimages' },
  'harvesterhci.io/VirtualMachineTemplate': { version: 'v1beta1', plural: 'virtualmachinetemplates' },
  'harvesterhci.io/VirtualMachineTemplateVersion': { version: 'v1beta1', plural: 'virtualmachinetemplateversions' },
  'harvesterhci.io/KeyPair': { version: 'v1beta1', plural: 'keypairs' },
  'export.kubevirt.io/VirtualMachineExport': { version: 'v1', plural: 'virtualmachineexports' },
  'instancetype.kubevirt.io/VirtualMachineInstancetype': {
    version: 'v1beta1',
    plural: 'virtualmachineinstancetypes',
    hasDependents: true,
  },
  'instancetype.kubevirt.io/VirtualMachinePreference': {
    version: 'v1beta1',
    plural: 'virtualmachinepreferences',
    hasDependents: true,
  },
  'instancetype.kubevirt.io/VirtualMachineClusterInstancetype': {
    version: 'v1beta1',
    plural: 'virtualmachineclusterinstancetypes',
  },
  'instancetype.kubevirt.io/VirtualMachineClusterPreference': {
    version: 'v1beta1',
    plural: 'virtualmachineclusterpreferences',
  },
  'k8s.cni.cncf.io/NetworkAttachmentDefinition': {
    version: 'v1',
    plural: 'network-attachment-definitions',
    hasDependents: true,
  },
};

const kindOf = ({ group, kind }: GraphObject): GraphKind | undefined => {
  const key = `${group}/${kind}`;
  return Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
};

const part = encodeURIComponent;

/** Where the API has an object; undefined for kinds that are not known here. */
export function objectPath(object: GraphObject): string | undefined {
  const kind = kindOf(object);
  if (!kind) return undefined;
  const { group, namespace, name } = object;
  const start = group === '' ? `/api/${kind.version}` : `/apis/${group}/${kind.version}`;
  return `${start}${namespace && `/namespaces/${part(namespace)}`}/${kind.plural}/${part(name)}`;
}

/** Where the server says which machines name an object. */
export function dependentsPath(object: GraphObject): string | undefined {
  const kind = kindOf(object);
  if (!kind?.hasDependents || object.namespace === '') return undefined;
  const { namespace, name } = object;
  return `/apis/subresources.kubevirt.io/v1/namespaces/${part(namespace)}/${kind.plural}/${part(name)}/dependents`;
}

/** Tabs of the machine that show objects of a kind. */
const TABS: Readonly<Record<string, readonly [tab: string, title: string]>> = {
  DataVolume: ['disks', 'Disks'],
  PersistentVolumeClaim: ['disks', 'Disks'],
  VirtualMachineSnapshot: ['snapshots', 'Snapshots'],
  VirtualMachineSnapshotContent: ['snapshots', 'Snapshots'],
  VolumeSnapshot: ['snapshots', 'Snapshots'],
  NetworkAttachmentDefinition: ['network', 'Network'],
};

/** A page that shows an object which a machine needs. */
export function pageOf(
  { kind, namespace, name }: Pick<GraphObject, 'kind' | 'namespace' | 'name'>,
  machine: { readonly namespace: string; readonly name: string },
): { readonly href: string; readonly title: string } | undefined {
  if (kind === 'VirtualMachine' || kind === 'VirtualMachineInstance')
    return { href: `/machines/${namespace}/${name}`, title: `Open ${name}` };
  if (kind === 'VirtualMachineInstanceReplicaSet') return { href: '/sets', title: 'Replica sets and pools' };
  const [tab, title] = (Object.hasOwn(TABS, kind) && TABS[kind]) || [];
  return tab
    ? { href: `/machines/${machine.namespace}/${machine.name}/${tab}`, title: `${title} of ${machine.name}` }
    : undefined;
}

/** A letter for each type, for those who do not see the colour of the stripe. */
export const TYPE_LETTERS: Readonly<Record<DependencyType, string>> = {
  compute: 'C',
  storage: 'S',
  config: 'F',
  network: 'N',
};
