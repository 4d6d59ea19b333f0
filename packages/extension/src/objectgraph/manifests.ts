import { ControllerRevision, type ObjectMeta, PersistentVolumeClaim, Secret, type UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { POPULATED_FOR } from '@vireo/api/kinds/cdi/names.ts';
import { MATCHER_FIELDS } from '@vireo/hypervisor';
import type { ResourceRef } from '@vireo/kube';
import { type GraphNode, nodeKey } from './graph.ts';
import { kindKey } from './kinds.ts';

/** What the system makes anew, or what has no meaning elsewhere. */
const LEFT_OUT = new Set([
  '/Pod',
  '/PersistentVolume',
  'kubevirt.io/VirtualMachineInstance',
  'export.kubevirt.io/VirtualMachineExport',
  'harvesterhci.io/VirtualMachineBackup',
  'harvesterhci.io/VirtualMachineRestore',
  'harvesterhci.io/ScheduleVMBackup',
  'harvesterhci.io/ResourceQuota',
  'snapshot.kubevirt.io/VirtualMachineSnapshot',
  'snapshot.kubevirt.io/VirtualMachineSnapshotContent',
  'snapshot.kubevirt.io/VirtualMachineRestore',
  'snapshot.storage.k8s.io/VolumeSnapshot',
  'snapshot.storage.k8s.io/VolumeSnapshotContent',
]);

export const isLeftOut = (kind: ResourceRef): boolean => LEFT_OUT.has(kindKey(kind));

/** Whether manifests may have what a node needs: an export takes its password and its claims with it. */
export const isEntered = ({ kind }: GraphNode): boolean => kind.kind !== 'VirtualMachineExport';

/**
 * The objects of a graph as a list that can be applied elsewhere: each once, what is needed before what needs it, and
 * nothing in them that only their old home knows. What is missing or forbidden is not among them;
 * `missingObjects.ts` reports it.
 */
export function manifestsOf(root: GraphNode, rootObject: UnknownObject, includesSecrets: boolean): object {
  // A pool makes its VMs, and they their DataVolumes.
  const members = rootObject.kind === 'VirtualMachinePool' ? root.children.filter(isVm) : [];
  const templates = new Set(
    [rootObject, ...members.map(({ object = rootObject }) => object)].flatMap((each) => [...templateNames(each)]),
  );
  const items = new Map<string, UnknownObject>();
  const visit = (node: GraphNode, above?: GraphNode): void => {
    if (isEntered(node)) for (const child of node.children) visit(child, node);
    const { kind, name, object } = node;
    const key = nodeKey(node);
    if (!object || items.has(key) || isLeftOut(kind) || members.includes(node)) return;
    if (kindKey(kind) === kindKey(Secret) && !includesSecrets) return;
    const isDataVolume = kind.kind === 'DataVolume';
    if (isDataVolume && templates.has(name)) return;
    const isFilled = kindKey(kind) === kindKey(PersistentVolumeClaim) && above?.kind.kind === 'DataVolume';
    items.set(key, isFilled ? filledClaim(object, above.name) : clean(object));
  };
  for (const node of root.children) visit(node);
  const vm = clean(rootObject);
  const hasRevision = (name: string): boolean =>
    [...items.values()].some(({ kind, metadata }) => kind === ControllerRevision.kind && metadata.name === name);
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [...items.values(), withRevisions(vm, rootObject, hasRevision)],
  };
}

const isVm = ({ kind }: GraphNode): boolean => kind.kind === 'VirtualMachine';

/** DataVolumes that the VM makes by itself, and owns. */
export function templateNames({ spec }: UnknownObject): ReadonlySet<unknown> {
  const templates = isObject(spec) && Array.isArray(spec.dataVolumeTemplates) ? spec.dataVolumeTemplates : [];
  return new Set(templates.map((each) => isObject(each) && isObject(each.metadata) && each.metadata.name));
}

const SYSTEM_ANNOTATIONS =
  /^(kubectl\.kubernetes\.io\/last-applied-configuration$|pv\.kubernetes\.io\/|volume\.(beta\.)?kubernetes\.io\/|cdi\.kubevirt\.io\/storage\.|kubevirt\.io\/install-strategy-identifier$)/;

/** The object as its user could have written it. */
export function clean(object: UnknownObject): UnknownObject {
  const { apiVersion, kind, status: _, metadata, ...rest } = object;
  const cleaned: UnknownObject = { apiVersion, kind, metadata: cleanMetadata(metadata), ...rest };
  if (object.kind === 'ServiceAccount') delete cleaned.secrets;
  if (object.kind === PersistentVolumeClaim.kind && isObject(object.spec)) {
    const { volumeName: _volume, dataSource: _source, dataSourceRef: _ref, ...spec } = object.spec;
    cleaned.spec = spec;
  }
  return cleaned;
}

function cleanMetadata({ name, namespace, labels, annotations = {} }: ObjectMeta): ObjectMeta {
  const kept = Object.entries(annotations).filter(([key]) => !SYSTEM_ANNOTATIONS.test(key));
  return {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
  };
}

/** The data of a claim is brought by whoever restores it: its DataVolume is not to fill it again. */
function filledClaim(object: UnknownObject, dataVolume: string): UnknownObject {
  const filled = clean(object);
  const annotations = { ...filled.metadata.annotations, [POPULATED_FOR]: dataVolume };
  return { ...filled, metadata: { ...filled.metadata, annotations } };
}

/** Which revisions a VM uses stands in its status, which is not taken along: its spec says it instead. */
function withRevisions(
  vm: UnknownObject,
  { status }: UnknownObject,
  hasRevision: (name: string) => boolean,
): UnknownObject {
  const { spec } = vm;
  if (!isObject(spec) || !isObject(status)) return vm;
  const named = MATCHER_FIELDS.flatMap((field) => {
    const [matcher, kept] = [spec[field], status[`${field}Ref`]];
    const revision = isObject(kept) && isObject(kept.controllerRevisionRef) && kept.controllerRevisionRef.name;
    if (!isObject(matcher) || typeof revision !== 'string' || !hasRevision(revision)) return [];
    return [[field, { ...matcher, revisionName: revision }] as const];
  });
  return { ...vm, spec: { ...spec, ...Object.fromEntries(named) } };
}
