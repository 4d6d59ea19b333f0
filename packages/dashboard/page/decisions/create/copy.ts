import { editable } from '../yaml/editable.ts';
import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { claimTemplates, withClaimTemplates } from './harvester.ts';
import { DOMAIN, INTERFACES, listAt, type Objects, TEMPLATES, textAt, VOLUMES, withAt, withList } from './objects.ts';

/** Annotations that say where an object came from, not what it is. */
const NOT_COPIED =
  /^(kubectl\.kubernetes\.io|kubevirt\.io\/(latest|storage)-observed|harvesterhci\.io\/volumeClaimTemplates)/;

/**
 * A new machine made like another: without its identity (name, MAC addresses, firmware ids). Its own disks are made anew
 * from their sources; disks that it only uses become clones, since two machines on one disk destroy it.
 */
export const copyOf = (stored: unknown, name: string, namespace: string): Objects => copy(stored, name, namespace, []);

/**
 * A new machine as a version of a template of Harvester keeps it. Claims that the version tells Harvester to make from
 * images are made for this machine; others are those of the machine that the version was made of, and are cloned.
 */
export function fromVersion(version: unknown, name: string, namespace: string): Objects {
  const vm = valueAt(version, ['spec', 'vm']);
  const kept = isMapping(vm) ? vm : {};
  const stored: Mapping = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    ...kept,
    metadata: {
      ...(isMapping(kept.metadata) ? kept.metadata : {}),
      namespace: valueAt(version, ['metadata', 'namespace']),
    },
  };
  return copy(stored, name, namespace, claimTemplates(stored));
}

function copy(stored: unknown, name: string, namespace: string, made: readonly Mapping[]): Objects {
  const source = editable(stored);
  const from = isMapping(source.metadata) ? source.metadata : {};
  const oldName = textAt(source, ['metadata', 'name']);
  const oldNamespace = textAt(source, ['metadata', 'namespace']);
  const annotations = Object.entries(isMapping(from.annotations) ? from.annotations : {}).filter(
    ([key]) => !NOT_COPIED.test(key),
  );
  const metadata = {
    name,
    namespace,
    ...(isMapping(from.labels) && { labels: from.labels }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
  let vm: Mapping = { ...source, metadata };
  vm = withAt(vm, [...DOMAIN, 'firmware', 'uuid'], undefined);
  vm = withAt(vm, [...DOMAIN, 'firmware', 'serial'], undefined);
  const firmware = valueAt(vm, [...DOMAIN, 'firmware']);
  if (isMapping(firmware) && Object.keys(firmware).length === 0) vm = withAt(vm, [...DOMAIN, 'firmware'], undefined);
  vm = withList(
    vm,
    INTERFACES,
    listAt(vm, INTERFACES).map(({ macAddress: _, ...card }) => card),
  );
  for (const field of ['instancetype', 'preference']) vm = withAt(vm, ['spec', field, 'revisionName'], undefined);
  return { vm: withOwnDisks(withMadeClaims(vm, made, name), oldName, oldNamespace, name) };
}

/** Claims that Harvester is to make, called after the new machine and the volumes that they are for. */
function withMadeClaims(vm: Mapping, made: readonly Mapping[], name: string): Mapping {
  const volumes = listAt(vm, VOLUMES);
  const names = new Map<string, string>();
  for (const volume of volumes) {
    const claim = textAt(volume, ['persistentVolumeClaim', 'claimName']);
    if (made.some((each) => textAt(each, ['metadata', 'name']) === claim)) names.set(claim, `${name}-${volume.name}`);
  }
  const renamed = volumes.map((volume) => {
    const next = names.get(textAt(volume, ['persistentVolumeClaim', 'claimName']));
    return next === undefined ? volume : withAt(volume, ['persistentVolumeClaim', 'claimName'], next);
  });
  const claims = made.flatMap((each) => {
    const next = names.get(textAt(each, ['metadata', 'name']));
    return next === undefined ? [] : [withAt(each, ['metadata', 'name'], next)];
  });
  return withClaimTemplates(withList(vm, VOLUMES, renamed), claims);
}

function withOwnDisks(vm: Mapping, oldName: string, oldNamespace: string, name: string): Mapping {
  const templates = listAt(vm, TEMPLATES);
  const rename = (claim: string): string =>
    claim.startsWith(`${oldName}-`) ? `${name}${claim.slice(oldName.length)}` : `${name}-${claim}`;
  const made = new Set(claimTemplates(vm).map((each) => textAt(each, ['metadata', 'name'])));
  const clones: Mapping[] = [];
  const volumes = listAt(vm, VOLUMES).map((volume) => {
    const claim = textAt(volume, ['dataVolume', 'name']) || textAt(volume, ['persistentVolumeClaim', 'claimName']);
    if (claim === '' || made.has(claim)) return volume;
    const isTemplate = templates.some((each) => textAt(each, ['metadata', 'name']) === claim);
    if (!isTemplate) {
      const source = { pvc: { namespace: oldNamespace, name: claim } };
      clones.push({ metadata: { name: rename(claim) }, spec: { source, storage: {} } });
    }
    return { name: volume.name, dataVolume: { name: rename(claim) } };
  });
  const own = templates.map((each) => withAt(each, ['metadata', 'name'], rename(textAt(each, ['metadata', 'name']))));
  return withList(withList(vm, VOLUMES, volumes), TEMPLATES, [...own, ...clones]);
}
