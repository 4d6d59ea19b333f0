import { editable } from '../yaml/editable.ts';
import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { DOMAIN, INTERFACES, listAt, type Objects, TEMPLATES, textAt, VOLUMES, withAt, withList } from './objects.ts';

/** Annotations that say where an object came from, not what it is. */
const NOT_COPIED =
  /^(kubectl\.kubernetes\.io|kubevirt\.io\/(latest|storage)-observed|harvesterhci\.io\/volumeClaimTemplates)/;

/**
 * A new machine made like another: without its identity (name, MAC addresses, firmware ids). Its own disks are made anew
 * from their sources; disks that it only uses become clones, since two machines on one disk destroy it.
 */
export function copyOf(stored: unknown, name: string, namespace: string): Objects {
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
  return { vm: withOwnDisks(vm, oldName, oldNamespace, name) };
}

function withOwnDisks(vm: Mapping, oldName: string, oldNamespace: string, name: string): Mapping {
  const templates = listAt(vm, TEMPLATES);
  const rename = (claim: string): string =>
    claim.startsWith(`${oldName}-`) ? `${name}${claim.slice(oldName.length)}` : `${name}-${claim}`;
  const clones: Mapping[] = [];
  const volumes = listAt(vm, VOLUMES).map((volume) => {
    const claim = textAt(volume, ['dataVolume', 'name']) || textAt(volume, ['persistentVolumeClaim', 'claimName']);
    if (claim === '') return volume;
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
