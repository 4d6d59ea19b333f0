import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { DISKS, INTERFACES, listAt, NETWORKS, TEMPLATES, textAt, VOLUMES, withAt, withList } from './objects.ts';
import { rootVolume, withoutTemplates } from './source.ts';

/** A disk beside the first. */
export interface Disk {
  readonly name: string;
  /** Empty: a new volume of `size`. */
  readonly claim: string;
  readonly size: string;
}

/** A network card. */
export interface Card {
  readonly name: string;
  /** Empty: the pod network. */
  readonly network: string;
  readonly binding: 'masquerade' | 'bridge' | 'other';
}

/** Data disks: volumes with data of their own, except the first and an install disc. */
export function readDisks(vm: Mapping): Disk[] {
  const root = rootVolume(vm);
  return listAt(vm, VOLUMES).flatMap((volume) => {
    const name = textAt(volume, ['name']);
    if (name === root || name === 'disc') return [];
    if (isMapping(volume.persistentVolumeClaim))
      return [{ name, claim: textAt(volume, ['persistentVolumeClaim', 'claimName']), size: '' }];
    const template = listAt(vm, TEMPLATES).find(
      (each) => textAt(each, ['metadata', 'name']) === textAt(volume, ['dataVolume', 'name']),
    );
    if (!template || !isMapping(valueAt(template, ['spec', 'source', 'blank']))) return [];
    return [{ name, claim: '', size: textAt(template, ['spec', 'storage', 'resources', 'requests', 'storage']) }];
  });
}

const freeName = (prefix: string, taken: readonly unknown[]): string => {
  for (let number = 1; ; number++) if (!taken.includes(`${prefix}${number}`)) return `${prefix}${number}`;
};

export function withNewDisk(vm: Mapping, disk: Omit<Disk, 'name'>): Mapping {
  const name = freeName(
    'data',
    listAt(vm, VOLUMES).map((volume) => volume.name),
  );
  const next = withList(vm, DISKS, [...listAt(vm, DISKS), { name, disk: { bus: 'virtio' } }]);
  return withDisk(withList(next, VOLUMES, [...listAt(next, VOLUMES), { name }]), { ...disk, name });
}

export function withDisk(vm: Mapping, { name, claim, size }: Disk): Mapping {
  const own = `${textAt(vm, ['metadata', 'name'])}-${name}`;
  const before = listAt(vm, VOLUMES).find((each) => each.name === name) ?? {};
  const known = listAt(vm, TEMPLATES).find(
    (each) => textAt(each, ['metadata', 'name']) === textAt(before, ['dataVolume', 'name']),
  );
  const volume =
    claim === '' ? { name, dataVolume: { name: own } } : { name, persistentVolumeClaim: { claimName: claim } };
  const next = withList(
    withoutTemplates(vm, [own, textAt(before, ['dataVolume', 'name'])]),
    VOLUMES,
    listAt(vm, VOLUMES).map((each) => (each.name === name ? volume : each)),
  );
  if (claim !== '') return next;
  const blank = { metadata: { name: own }, spec: { source: { blank: {} } } };
  const template = withAt(known ?? blank, ['spec', 'storage', 'resources', 'requests', 'storage'], size);
  return withList(next, TEMPLATES, [...listAt(next, TEMPLATES), withAt(template, ['metadata', 'name'], own)]);
}

export function withoutDisk(vm: Mapping, name: string): Mapping {
  const volume = listAt(vm, VOLUMES).find((each) => each.name === name) ?? {};
  const next = withoutTemplates(vm, [textAt(volume, ['dataVolume', 'name'])]);
  const others = (path: typeof DISKS): Mapping[] => listAt(next, path).filter((each) => each.name !== name);
  return withList(withList(next, DISKS, others(DISKS)), VOLUMES, others(VOLUMES));
}

/** CD-ROM drives without a disc, by name: discs are inserted while the machine runs. */
export const readDrives = (vm: Mapping): string[] => {
  const filled = listAt(vm, VOLUMES).map(({ name }) => name);
  return listAt(vm, DISKS)
    .filter(({ name, cdrom }) => isMapping(cdrom) && !filled.includes(name))
    .map((drive) => textAt(drive, ['name']));
};

export function withNewDrive(vm: Mapping): Mapping {
  const disks = listAt(vm, DISKS);
  const name = freeName(
    'cdrom',
    disks.map((disk) => disk.name),
  );
  return withList(vm, DISKS, [...disks, { name, cdrom: { bus: 'sata' } }]);
}

export function readCards(vm: Mapping): Card[] {
  const cards = listAt(vm, INTERFACES);
  return listAt(vm, NETWORKS).map((network) => {
    const name = textAt(network, ['name']);
    const card = cards.find((each) => each.name === name) ?? {};
    const binding = 'masquerade' in card ? 'masquerade' : 'bridge' in card ? 'bridge' : 'other';
    return { name, network: textAt(network, ['multus', 'networkName']), binding };
  });
}

/** Another network or binding; MAC address, model and the like of the card stay. */
export function withCard(vm: Mapping, { name, network, binding }: Card): Mapping {
  const card = (each: Mapping): Mapping => {
    if (each.name !== name || binding === 'other') return each;
    const { masquerade: _, bridge: __, ...rest } = each;
    return { ...rest, [binding]: {} };
  };
  const source = network === '' ? { pod: {} } : { multus: { networkName: network } };
  const next = withList(vm, INTERFACES, listAt(vm, INTERFACES).map(card));
  return withList(
    next,
    NETWORKS,
    listAt(next, NETWORKS).map((each) => (each.name === name ? { name, ...source } : each)),
  );
}

export function withNewCard(vm: Mapping, network: string): Mapping {
  const name = freeName(
    'net',
    listAt(vm, NETWORKS).map((each) => each.name),
  );
  const binding = network === '' ? 'masquerade' : 'bridge';
  const next = withList(vm, INTERFACES, [...listAt(vm, INTERFACES), { name, [binding]: {} }]);
  return withCard(withList(next, NETWORKS, [...listAt(next, NETWORKS), { name }]), { name, network, binding });
}

export function withoutCard(vm: Mapping, name: string): Mapping {
  const others = (path: typeof DISKS): Mapping[] => listAt(vm, path).filter((each) => each.name !== name);
  return withList(withList(vm, INTERFACES, others(INTERFACES)), NETWORKS, others(NETWORKS));
}

/** `app=web, tier=front` as labels; undefined with words that are none. */
export function parseLabels(text: string): Readonly<Record<string, string>> | undefined {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.some((word) => !/^[^=]+=[^=]*$/.test(word))) return undefined;
  return Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
}

export const labelsText = (vm: Mapping): string =>
  Object.entries((valueAt(vm, ['metadata', 'labels']) as Record<string, unknown> | undefined) ?? {})
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');

export const withLabels = (vm: Mapping, labels: Readonly<Record<string, string>>): Mapping =>
  withAt(vm, ['metadata', 'labels'], Object.keys(labels).length === 0 ? undefined : labels);
