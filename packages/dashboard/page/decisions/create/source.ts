import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { type HarvesterSource, harvesterSource, withClaimTemplate, withoutClaimTemplate } from './harvester.ts';
import { DISKS, listAt, TEMPLATES, textAt, VOLUMES, withAt, withList } from './objects.ts';

/** What the first disk is made from. */
export type Source =
  | { readonly kind: 'image'; readonly image: string; readonly isKept: boolean; readonly size: string }
  | { readonly kind: 'volume'; readonly claim: string }
  | { readonly kind: 'clone'; readonly namespace: string; readonly claim: string; readonly size: string }
  | { readonly kind: 'dataSource'; readonly namespace: string; readonly name: string; readonly size: string }
  | { readonly kind: 'url'; readonly url: string; readonly size: string }
  | { readonly kind: 'empty'; readonly size: string; readonly disc: string }
  | HarvesterSource
  /** Something that only the YAML says. */
  | { readonly kind: 'other' };

export type SourceKind = Source['kind'];

const ROOT = 'root';
const DISC = 'disc';
/** The first disk becomes as large as the image, if that is larger; Vireo's, and ignored elsewhere. */
const FITTED = { 'vireo.io/storage.fitted': 'true' };

/** The name of the volume of the first disk. */
export const rootVolume = (vm: Mapping): string => textAt(listAt(vm, DISKS)[0] ?? {}, ['name']) || ROOT;
const named = (vm: Mapping, name: string): Mapping | undefined =>
  listAt(vm, VOLUMES).find((each) => each.name === name);

export function readSource(vm: Mapping): Source {
  const volume = named(vm, rootVolume(vm));
  if (!volume) return { kind: 'other' };
  const image = textAt(volume, ['containerDisk', 'image']);
  if (isMapping(volume.containerDisk)) return { kind: 'image', image, isKept: false, size: '' };
  const claim = textAt(volume, ['persistentVolumeClaim', 'claimName']);
  if (isMapping(volume.persistentVolumeClaim)) return harvesterSource(vm, claim) ?? { kind: 'volume', claim };
  const template = templateOf(vm, textAt(volume, ['dataVolume', 'name']));
  return template ? templateSource(vm, template) : { kind: 'other' };
}

const templateOf = (vm: Mapping, name: string): Mapping | undefined =>
  listAt(vm, TEMPLATES).find((each) => textAt(each, ['metadata', 'name']) === name);

const sizeOf = (template: Mapping): string =>
  textAt(template, ['spec', 'storage', 'resources', 'requests', 'storage']) ||
  textAt(template, ['spec', 'pvc', 'resources', 'requests', 'storage']);

function templateSource(vm: Mapping, template: Mapping): Source {
  const size = sizeOf(template);
  const read = (...path: string[]): string => textAt(template, ['spec', ...path]);
  const source = valueAt(template, ['spec', 'source']);
  if (isMapping(source)) {
    if (isMapping(source.registry))
      return {
        kind: 'image',
        image: read('source', 'registry', 'url').replace(/^docker:\/\//, ''),
        isKept: true,
        size,
      };
    if (isMapping(source.http)) return { kind: 'url', url: read('source', 'http', 'url'), size };
    if (isMapping(source.pvc))
      return {
        kind: 'clone',
        namespace: read('source', 'pvc', 'namespace'),
        claim: read('source', 'pvc', 'name'),
        size,
      };
    if (isMapping(source.blank)) return { kind: 'empty', size, disc: discOf(vm) };
  }
  if (read('sourceRef', 'kind') === 'DataSource')
    return { kind: 'dataSource', namespace: read('sourceRef', 'namespace'), name: read('sourceRef', 'name'), size };
  return { kind: 'other' };
}

/** The install disc: an image, or the address of an ISO. */
function discOf(vm: Mapping): string {
  const volume = named(vm, DISC);
  if (!volume) return '';
  const template = templateOf(vm, textAt(volume, ['dataVolume', 'name']));
  return (
    textAt(volume, ['containerDisk', 'image']) || (template ? textAt(template, ['spec', 'source', 'http', 'url']) : '')
  );
}

/** The VM with another first disk. Its other disks stay; what the YAML says of the same kind of source stays, too. */
export function withSource(vm: Mapping, source: Source): Mapping {
  if (source.kind === 'other') return vm;
  const root = rootVolume(vm);
  const claim = `${textAt(vm, ['metadata', 'name'])}-${root}`;
  const volume = named(vm, root) ?? {};
  const template = templateOf(vm, textAt(volume, ['dataVolume', 'name']));
  const others = withoutTemplates(withoutDisc(vm), [textAt(volume, ['dataVolume', 'name'])]);
  const cleared = withoutClaimTemplate(others, textAt(volume, ['persistentVolumeClaim', 'claimName']));
  const disks = listAt(cleared, DISKS);
  let next = disks.length > 0 ? cleared : withList(cleared, DISKS, [{ name: root, disk: { bus: 'virtio' } }]);
  next = withVolume(next, { name: root, ...keeping(volume, volumeFor(source, claim)) });
  const made = templateFor(source, claim);
  if (made) next = withList(next, TEMPLATES, [keepingTemplate(template, made, source), ...listAt(next, TEMPLATES)]);
  if (source.kind === 'harvester') next = withClaimTemplate(next, claim, source);
  return source.kind === 'empty' && source.disc !== '' ? withDisc(next, source.disc) : next;
}

/** What is new, with the fields of its kind that were there before. */
function keeping(before: unknown, made: Mapping): Mapping {
  const [[kind, value] = []] = Object.entries(made);
  const old = isMapping(before) && kind !== undefined ? before[kind] : undefined;
  return kind !== undefined && isMapping(old) && isMapping(value) ? { [kind]: { ...old, ...value } } : made;
}

function keepingTemplate(before: Mapping | undefined, made: Mapping, source: Source): Mapping {
  const old = valueAt(before, ['spec', 'source']);
  const now = valueAt(made, ['spec', 'source']);
  const kind = Object.keys(isMapping(now) ? now : {})[0];
  const isSame = kind === undefined ? isMapping(valueAt(before, ['spec', 'sourceRef'])) : isMapping(old) && kind in old;
  if (!before || !isSame) return made;
  const size = 'size' in source && source.size !== '' ? source.size : undefined;
  const at = isMapping(valueAt(before, ['spec', 'pvc'])) ? 'pvc' : 'storage';
  const named = withAt(before, ['metadata', 'name'], valueAt(made, ['metadata', 'name']));
  const sized = withAt(named, ['spec', at, 'resources', 'requests', 'storage'], size);
  return isMapping(now)
    ? withAt(sized, ['spec', 'source'], keeping(old, now))
    : withAt(sized, ['spec', 'sourceRef'], valueAt(made, ['spec', 'sourceRef']));
}

function volumeFor(source: Source, claim: string): Mapping {
  if (source.kind === 'image' && !source.isKept) return { containerDisk: { image: source.image } };
  if (source.kind === 'volume') return { persistentVolumeClaim: { claimName: source.claim } };
  if (source.kind === 'harvester') return { persistentVolumeClaim: { claimName: claim } };
  return { dataVolume: { name: claim } };
}

function templateFor(source: Source, name: string): Mapping | undefined {
  const make = (from: Mapping, size: string, annotations?: Mapping): Mapping => ({
    metadata: { name, ...(annotations && { annotations }) },
    spec: { ...from, storage: size === '' ? {} : { resources: { requests: { storage: size } } } },
  });
  switch (source.kind) {
    case 'image':
      if (!source.isKept) return undefined;
      return make(
        { source: { registry: { url: `docker://${source.image}`, pullMethod: 'node' } } },
        source.size,
        FITTED,
      );
    case 'url':
      return make({ source: { http: { url: source.url } } }, source.size);
    case 'clone':
      return make({ source: { pvc: { namespace: source.namespace, name: source.claim } } }, source.size);
    case 'dataSource':
      return make({ sourceRef: { kind: 'DataSource', namespace: source.namespace, name: source.name } }, source.size);
    case 'empty':
      return make({ source: { blank: {} } }, source.size);
    default:
      return undefined;
  }
}

function withVolume(vm: Mapping, volume: Mapping): Mapping {
  const volumes = listAt(vm, VOLUMES);
  const isThere = volumes.some(({ name }) => name === volume.name);
  return withList(
    vm,
    VOLUMES,
    isThere ? volumes.map((each) => (each.name === volume.name ? volume : each)) : [volume, ...volumes],
  );
}

export const withoutTemplates = (vm: Mapping, names: readonly string[]): Mapping =>
  withList(
    vm,
    TEMPLATES,
    listAt(vm, TEMPLATES).filter((each) => !names.includes(textAt(each, ['metadata', 'name']))),
  );

function withoutDisc(vm: Mapping): Mapping {
  const volume = named(vm, DISC);
  if (!volume) return vm;
  const without = (list: readonly Mapping[]): Mapping[] => list.filter(({ name }) => name !== DISC);
  const next = withoutTemplates(vm, [textAt(volume, ['dataVolume', 'name'])]);
  return withList(withList(next, DISKS, without(listAt(next, DISKS))), VOLUMES, without(listAt(next, VOLUMES)));
}

/** An empty disk boots nothing, so that the firmware goes on to the disc; once it is installed, the disk comes first. */
function withDisc(vm: Mapping, disc: string): Mapping {
  const isAddress = /^https?:\/\//.test(disc);
  const claim = `${textAt(vm, ['metadata', 'name'])}-${DISC}`;
  const [root = {}, ...others] = listAt(vm, DISKS);
  const disks = [{ ...root, bootOrder: 1 }, ...others, { name: DISC, cdrom: { bus: 'sata' }, bootOrder: 2 }];
  const volume = { name: DISC, ...(isAddress ? { dataVolume: { name: claim } } : { containerDisk: { image: disc } }) };
  const next = withList(withList(vm, DISKS, disks), VOLUMES, [...listAt(vm, VOLUMES), volume]);
  const template = { metadata: { name: claim }, spec: { source: { http: { url: disc } }, storage: DISC_STORAGE } };
  return isAddress ? withList(next, TEMPLATES, [...listAt(next, TEMPLATES), template]) : next;
}

const DISC_STORAGE = { resources: { requests: { storage: '8Gi' } } };
