/** Graphs as tests expect them, and the three forms that answers have: written down here once more, not taken from the code. */

/** Group, plural and type of every kind that is in the graph. */
const KINDS: Readonly<Record<string, readonly [group: string, plural: string, type: string]>> = {
  ConfigMap: ['', 'configmaps', 'config'],
  ControllerRevision: ['apps', 'controllerrevisions', 'config'],
  DataImportCron: ['cdi.kubevirt.io', 'dataimportcrons', 'storage'],
  DataSource: ['cdi.kubevirt.io', 'datasources', 'storage'],
  DataVolume: ['cdi.kubevirt.io', 'datavolumes', 'storage'],
  KeyPair: ['harvesterhci.io', 'keypairs', 'config'],
  NetworkAttachmentDefinition: ['k8s.cni.cncf.io', 'network-attachment-definitions', 'network'],
  PersistentVolume: ['', 'persistentvolumes', 'storage'],
  PersistentVolumeClaim: ['', 'persistentvolumeclaims', 'storage'],
  Pod: ['', 'pods', 'compute'],
  PriorityClass: ['scheduling.k8s.io', 'priorityclasses', 'config'],
  ResourceQuota: ['harvesterhci.io', 'resourcequotas', 'config'],
  ScheduleVMBackup: ['harvesterhci.io', 'schedulevmbackups', 'storage'],
  Secret: ['', 'secrets', 'config'],
  ServiceAccount: ['', 'serviceaccounts', 'config'],
  StorageClass: ['storage.k8s.io', 'storageclasses', 'storage'],
  VirtualMachine: ['kubevirt.io', 'virtualmachines', 'compute'],
  VirtualMachineBackup: ['harvesterhci.io', 'virtualmachinebackups', 'storage'],
  VirtualMachineClusterPreference: ['instancetype.kubevirt.io', 'virtualmachineclusterpreferences', 'config'],
  VirtualMachineImage: ['harvesterhci.io', 'virtualmachineimages', 'storage'],
  VirtualMachineInstance: ['kubevirt.io', 'virtualmachineinstances', 'compute'],
  VirtualMachineInstancetype: ['instancetype.kubevirt.io', 'virtualmachineinstancetypes', 'config'],
  VirtualMachineRestore: ['harvesterhci.io', 'virtualmachinerestores', 'storage'],
  VirtualMachineSnapshot: ['snapshot.kubevirt.io', 'virtualmachinesnapshots', 'storage'],
  VirtualMachineSnapshotContent: ['snapshot.kubevirt.io', 'virtualmachinesnapshotcontents', 'storage'],
  VirtualMachineTemplate: ['harvesterhci.io', 'virtualmachinetemplates', 'config'],
  VirtualMachineTemplateVersion: ['harvesterhci.io', 'virtualmachinetemplateversions', 'config'],
  VolumeSnapshot: ['snapshot.storage.k8s.io', 'volumesnapshots', 'storage'],
  VolumeSnapshotContent: ['snapshot.storage.k8s.io', 'volumesnapshotcontents', 'storage'],
};

/** An object that is expected: `Kind namespace/name`, no namespace standing for `default` and `-` for none. */
export interface Expected {
  readonly object: string;
  readonly at: string;
  readonly isOptional: boolean;
  readonly isMissing: boolean;
  readonly children: readonly Expected[];
}

/** What cannot be done without. */
export const needs = (object: string, at: string, ...children: Expected[]): Expected => ({
  object,
  at,
  isOptional: false,
  isMissing: false,
  children,
});
/** What can be done without. */
export const may = (object: string, at: string, ...children: Expected[]): Expected => ({
  ...needs(object, at, ...children),
  isOptional: true,
});
/** The same, and it is not there. */
export const missing = (expected: Expected): Expected => ({ ...expected, isMissing: true });

/** What it is needed for. */
export const typeOf = (expected: Expected): string => parts(expected).type;

function parts({ object }: Expected) {
  const [kind = '', where = ''] = object.split(' ');
  const [namespace, name] = where.includes('/') ? where.split('/') : ['default', where];
  const [group, plural, type] = KINDS[kind] ?? ['?', '?', '?'];
  return { kind, group, plural, type, name, namespace: namespace === '-' ? '' : namespace };
}

/** The form that KubeVirt's clients decode. */
export function asTree(expected: Expected): object {
  const { kind, group, type, name, namespace } = parts(expected);
  const { at, isOptional, isMissing, children } = expected;
  return {
    objectReference: { apiGroup: group, kind, name, namespace },
    labels: { 'kubevirt.io/dependency-type': type },
    ...(isOptional && { optional: true }),
    status: isMissing ? 'missing' : 'present',
    ...(at && { fieldPath: at }),
    ...(children.length > 0 && { children: children.map(asTree) }),
  };
}

/** The list of trees, with plurals for kinds. */
export function asHierarchy(expected: Expected): object {
  const { group, plural, type, name, namespace } = parts(expected);
  return {
    objectReference: { apiGroup: group, kind: plural, name, namespace },
    labels: type === 'compute' ? {} : { type },
    optional: expected.isOptional,
    ...(expected.isMissing && { status: 'missing' }),
    children: expected.children.map(asHierarchy),
  };
}

/** Each object once, where it is first met; optional only where everybody says so. */
export function asFlat(roots: readonly Expected[]): object[] {
  const all = (nodes: readonly Expected[]): Expected[] => nodes.flatMap((node) => [node, ...all(node.children)]);
  const byObject = Map.groupBy(all(roots), ({ object }) => object);
  return [...byObject.values()].map((same) => {
    const [first] = same as [Expected];
    const { group, plural, type, name, namespace } = parts(first);
    return {
      objectReference: { apiGroup: group, kind: plural, name, namespace },
      labels: {
        type: type === 'compute' ? '' : type,
        optional: String(same.every(({ isOptional }) => isOptional)),
        ...(first.isMissing && { status: 'missing' }),
      },
    };
  });
}
