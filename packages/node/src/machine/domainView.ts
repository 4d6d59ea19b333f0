import { GUEST_AGENT_CHANNEL } from '@vireo/hypervisor';

/** What libvirt's description of a domain tells beyond its state. */
export interface DomainView {
  /** As QEMU knows it, with its version: `pc-q35-7.2`. */
  readonly machineType: string | undefined;
  /** Device names such as `vda`, by the disk's name in the spec. */
  readonly diskTargets: Readonly<Record<string, string>>;
  /** The CD-ROM drives, by the disk's name in the spec. */
  readonly drives: Readonly<Record<string, DriveView>>;
  /** By the interface's name in the spec. */
  readonly cards: Readonly<Record<string, CardView>>;
  /** Whether the guest's agent has opened its channel. */
  readonly isAgentConnected: boolean;
}

export interface DriveView {
  /** `sda`: the drive's name in libvirt. */
  readonly target: string;
  readonly isTrayOpen: boolean;
  /** The file or device that is in it; undefined while it is empty. */
  readonly source: string | undefined;
}

export interface CardView {
  readonly mac: string;
  /** The host's device behind it; missing where the traffic goes through QEMU itself. */
  readonly device?: string;
  readonly linkState: 'up' | 'down';
  /** 0 for models without queues of their own. */
  readonly queueCount: number;
}

/** Reads what libvirt wrote. Devices of the spec are found by the aliases that they were given. */
export function domainView(xml: string): DomainView {
  const disks = elements(xml, 'disk').flatMap((disk) => {
    const name = specName(disk);
    const target = /<target dev='([^']+)'/.exec(disk)?.[1];
    return name !== undefined && target !== undefined ? [[name, target] as const] : [];
  });
  const drives = elements(xml, 'disk').flatMap((disk) => {
    const name = specName(disk);
    return name !== undefined && / device='cdrom'/.test(disk) ? [[name, driveView(disk)] as const] : [];
  });
  const cards = elements(xml, 'interface').flatMap((card) => {
    const name = specName(card);
    return name === undefined ? [] : [[name, cardView(card)] as const];
  });
  return {
    machineType: /<type arch='[^']*' machine='([^']+)'/.exec(xml)?.[1],
    diskTargets: Object.fromEntries(disks),
    drives: Object.fromEntries(drives),
    cards: Object.fromEntries(cards),
    isAgentConnected: elements(xml, 'channel').some(
      (channel) => channel.includes(`'${GUEST_AGENT_CHANNEL}'`) && channel.includes("state='connected'"),
    ),
  };
}

/** The card of that name as libvirt describes it, for a change of it; undefined where it has none. */
export const cardXml = (xml: string, name: string): string | undefined =>
  elements(xml, 'interface').find((card) => specName(card) === name);

/** The disk of that name as libvirt describes it, for a change of it; undefined where there is none. */
export const diskXml = (xml: string, name: string): string | undefined =>
  elements(xml, 'disk').find((disk) => specName(disk) === name);

/** The file or device that a disk is on, as libvirt describes it; undefined where it has none. */
export const diskSource = (disk: string): string | undefined =>
  unescaped(/<source [^>]*(?:file|dev)='([^']*)'/.exec(disk)?.[1]);

const driveView = (disk: string): DriveView => ({
  target: /<target dev='([^']+)'/.exec(disk)?.[1] ?? '',
  isTrayOpen: /<target [^>]*tray='open'/.test(disk),
  source: diskSource(disk),
});

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text behind an attribute of libvirt's; an empty one is none. */
export const unescaped = (value: string | undefined): string | undefined =>
  value?.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '') || undefined;

const cardView = (card: string): CardView => ({
  mac: /<mac address='([^']+)'/.exec(card)?.[1] ?? '',
  device: /<target dev='([^']+)'/.exec(card)?.[1],
  linkState: card.includes("<link state='down'/>") ? 'down' : 'up',
  queueCount: /<model type='virtio/.test(card) ? Number(/<driver [^>]*queues='(\d+)'/.exec(card)?.[1] ?? 1) : 0,
});

const specName = (device: string): string | undefined => /<alias name='ua-([^']+)'/.exec(device)?.[1];

/** The texts of all devices of a kind; none contains another of its kind. Texts of users are escaped in them. */
const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name} [^]*?</${name}>`, 'g'))].map(([text]) => text);
