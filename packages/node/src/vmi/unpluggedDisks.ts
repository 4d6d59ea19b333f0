import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type DomainRef, LibvirtError, type ReconnectingLibvirt } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { type DomainView, diskSource, findDevice, usedStorage } from './domainView.ts';
import type { RunningVmi, VmiCache } from './localVmi.ts';

/** A file that QEMU has open, or a layer above one. */
interface BlockNode {
  readonly 'node-name'?: string;
  /** The file, or how QEMU was told to open it, as JSON. */
  readonly file?: string;
}

/** A disk that was asked to go. */
export interface UnpluggedDisk {
  /** Of its volume. */
  readonly name: string;
  /** `sdb`: its device name. */
  readonly target: string;
  /** When the guest was last asked to let go. */
  askedAtMs: number;
  /** Whether it is out of the domain. */
  isOut: boolean;
}

/** When the files of unplugged disks are tried to close again; each try that fails doubles the time. */
export interface CloseRetry {
  readonly waitMs: number;
  readonly atMs: number;
}

const CLOSE_AGAIN_MS = 500;
const CLOSE_AGAIN_MOST_MS = 30_000;

/**
 * The nodes of disks that are out of the domain, in the order in which they can be deleted; `paths`: their files, or
 * directories above them. libvirt deletes them when QEMU tells that a disk is gone, and takes no notice when that
 * fails: requests of the guest may still be under way then. Nobody deletes them afterwards, and the file stays open and
 * locked for as long as the guest runs.
 */
export function leftBlockNodes(nodes: readonly BlockNode[], domainXml: string, paths: readonly string[]): string[] {
  // libvirt numbers not all that lie below an image; what it names is in use all the same.
  const used = usedStorage(domainXml);
  const isLeft = (file: string): boolean =>
    !used.paths.has(file) && paths.some((path) => file === path || file.startsWith(`${path}/`));
  const left = nodes.flatMap(({ 'node-name': name = '', file = '' }) => {
    const [, index, layer] = /^libvirt-(\d+)-(format|storage)$/.exec(name) ?? [];
    return index === undefined || used.indexes.has(index) || !filesOf(file).some(isLeft) ? [] : [{ name, layer }];
  });
  // What is above goes first.
  return [...left.filter(({ layer }) => layer === 'format'), ...left.filter(({ layer }) => layer === 'storage')].map(
    ({ name }) => name,
  );
}

/** The files that a node is on, as QEMU names them: one path, or all options as JSON. */
function filesOf(file: string): string[] {
  if (!file.startsWith('json:')) return [file];
  const found: string[] = [];
  try {
    JSON.parse(file.slice('json:'.length), (key, value) => {
      if (key === 'filename' && typeof value === 'string') found.push(value);
      return value;
    });
  } catch {
    // QEMU cuts off what is too long.
  }
  return found;
}

/** A guest that has not let go of a disk is asked again after so long. */
export const DETACH_AGAIN_MS = 5_000;

/**
 * Whether the guest is to be asked now to let go of a disk. Not twice in a row: libvirt 9.0 crashes where QEMU says that
 * the device is not there while the news that it has gone waits to be handled. A disk that is asked to go is remembered
 * with its file, which may stay open when the disk is out.
 */
export async function beginDetach(
  { domain, cache }: RunningVmi,
  name: string,
  { libvirt, clock }: NodeContext,
): Promise<boolean> {
  const now = clock.now();
  const known = [...cache.unplugged.values()].find((each) => each.name === name && !each.isOut);
  if (known && now - known.askedAtMs < DETACH_AGAIN_MS) return false;
  const xml = await libvirt.calls.domainXml(domain.ref).catch((error: unknown) => {
    // It has just ended.
    if (!(error instanceof LibvirtError)) throw error;
  });
  const disk = xml && findDevice(xml, 'disk', name);
  if (!disk) return false;
  const target = domain.view.diskTargets[name] ?? '';
  cache.unplugged.set(diskSource(disk) ?? `volume ${name}`, { name, target, askedAtMs: now, isOut: false });
  return true;
}

/** Volumes that were being taken out before a restart of the agent: the status tells of them. `targets`: what is in. */
export const untrackedUnplugs = (
  { vmi, cache }: { readonly vmi: Vmi; readonly cache: Pick<VmiCache, 'unplugged'> },
  targets: object,
): { readonly name: string; readonly target: string; readonly claim: string }[] =>
  (vmi.status?.volumeStatus ?? []).flatMap(({ name, target, hotplugVolume, persistentVolumeClaimInfo: info }) => {
    const isKnown = Object.hasOwn(targets, name) || [...cache.unplugged.values()].some((each) => each.name === name);
    return hotplugVolume && target && !isKnown && info?.claimName ? [{ name, target, claim: info.claimName }] : [];
  });

async function restoreUnplugged(local: RunningVmi, targets: object, { volumes }: NodeContext): Promise<void> {
  for (const { name, target, claim } of untrackedUnplugs(local, targets)) {
    const path = await volumes.claimDirectory(local.vmi, claim).catch((error: unknown) => {
      if (!(error instanceof VolumeError)) throw error;
    });
    if (path) local.cache.unplugged.set(path, { name, target, askedAtMs: 0, isOut: true });
  }
}

/**
 * Closes the files of disks that are out of the domain. Returns after how long to try again what is still open;
 * undefined when nothing is.
 */
export async function closeUnplugged(local: RunningVmi, context: NodeContext): Promise<number | undefined> {
  const { domain, cache } = local;
  const targets = context.domains.get(local.uid)?.view.diskTargets ?? {};
  await restoreUnplugged(local, targets, context);
  for (const disk of cache.unplugged.values()) {
    if (disk.isOut || Object.hasOwn(targets, disk.name)) continue;
    disk.isOut = true;
    cache.closeRetry = undefined;
  }
  const paths = [...cache.unplugged].flatMap(([path, { isOut }]) => (isOut ? [path] : []));
  if (paths.length === 0) return undefined;
  const now = context.clock.now();
  if (cache.closeRetry && now < cache.closeRetry.atMs) return cache.closeRetry.atMs - now;
  const { calls } = context.libvirt;
  const xml = await calls.domainXml(domain.ref);
  const before = leftBlockNodes(await blockNodes(calls, domain.ref), xml, paths);
  // QEMU refuses to delete a node that something uses.
  for (const name of before) await qmp(calls, domain.ref, 'blockdev-del', { 'node-name': name });
  const after = before.length === 0 ? [] : await blockNodes(calls, domain.ref);
  for (const path of paths) if (leftBlockNodes(after, xml, [path]).length === 0) cache.unplugged.delete(path);
  if (paths.every((path) => !cache.unplugged.has(path))) {
    cache.closeRetry = undefined;
    return undefined;
  }
  const waitMs = Math.min(cache.closeRetry ? cache.closeRetry.waitMs * 2 : CLOSE_AGAIN_MS, CLOSE_AGAIN_MOST_MS);
  cache.closeRetry = { waitMs, atMs: now + waitMs };
  return waitMs;
}

/** What is known of a domain, with the disks that are out of it and still open: until then they are being detached. */
export function withUnplugged(
  { spec }: Vmi,
  view: DomainView,
  unplugged: ReadonlyMap<string, UnpluggedDisk>,
): DomainView {
  const open = [...unplugged.values()].filter(({ name }) => !spec.volumes?.some((volume) => volume.name === name));
  const targets = Object.fromEntries(open.map(({ name, target }) => [name, target]));
  return open.length === 0 ? view : { ...view, diskTargets: { ...targets, ...view.diskTargets } };
}

type Calls = Pick<ReconnectingLibvirt['calls'], 'monitorCommand'>;

async function qmp(calls: Calls, domain: DomainRef, execute: string, given: object): Promise<unknown> {
  const answer = await calls.monitorCommand(domain, JSON.stringify({ execute, arguments: given }));
  return (JSON.parse(answer) as { return?: unknown }).return;
}

const blockNodes = async (calls: Calls, domain: DomainRef): Promise<readonly BlockNode[]> =>
  ((await qmp(calls, domain, 'query-named-block-nodes', { flat: true })) ?? []) as BlockNode[];
