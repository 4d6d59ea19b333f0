import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badRequest, conflict, notFound } from '@vireo/api';
import { type Mount, type MountList, SHARED_MEMORY_ANNOTATION } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { convertFilesystem } from '@vireo/hypervisor';
import { parseXml, select } from '@vireo/hypervisor/xml.ts';
import { DeviceFlags, LibvirtError } from '@vireo/libvirt';
import type { Active } from '../api/actions.ts';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { O_PATH_NOFOLLOW } from '../guests/ownFile.ts';
import { livingDaemons, startShare } from './daemons.ts';
import { daemonSite } from './ofVmi.ts';
import { ownerOfDirectory, shareIds } from './owner.ts';
import { stopDaemon } from './virtiofsd.ts';

const VMIS = { group: 'kubevirt.io', resource: 'virtualmachineinstance' };

/** How long a guest may take to let go of a device. */
const DETACH_MS = 10_000;
const POLL_MS = 100;

/** Shares a directory of this node with a guest that runs. */
export async function mountDirectory(local: Active, context: NodeContext, body: unknown): Promise<void> {
  const { path, name, readOnly = false } = body as { path: string; name: string; readOnly?: boolean };
  const opened = await openDirectory(path, context);
  try {
    await plugIn(opened, { name, path, readOnly }, local, context);
  } finally {
    await opened.handle.close();
  }
  const right = readOnly ? ', which can only read it' : '';
  const message = `Directory ${opened.directory} of node ${context.host.name} is shared with the guest as ${name}${right}`;
  context.recorder.event(local.vmi, 'Normal', 'DirectoryMounted', message);
}

async function plugIn(
  { directory, handle }: OpenedDirectory,
  { name, path, readOnly }: Mount,
  local: Active,
  context: NodeContext,
): Promise<void> {
  const { vmi, domain, key } = local;
  if (!(await hasSharedMemory(local, context))) throw conflict(VMIS, vmi.metadata.name, notShared(key));
  if (domain.view.filesystems?.includes(name))
    throw conflict(
      VMIS,
      vmi.metadata.name,
      `the guest already has a filesystem ${JSON.stringify(name)}: choose another name`,
    );
  const ids = context.layout.isRoot ? await shareIds(local.user) : undefined;
  const owner = ids && (await ownerOfDirectory(`/proc/self/fd/${handle.fd}`, ids));
  const share = { name, directory, identity: await identityOf(handle), isReadOnly: readOnly, owner };
  const daemon = await startShare(share, daemonSite(local, context), path).catch((error: unknown) => {
    throw error instanceof VolumeError ? conflict(VMIS, vmi.metadata.name, error.message) : error;
  });
  try {
    await context.libvirt.long.attachDevice(domain.ref, convertFilesystem(name, daemon.socket), DeviceFlags.LIVE);
  } catch (error) {
    await stopDaemon(daemon);
    if (!(error instanceof LibvirtError)) throw error;
    throw conflict(VMIS, vmi.metadata.name, `the directory cannot be plugged in: ${error.message}`);
  }
}

/** Takes a directory of this node away from a guest. */
export async function unmountDirectory(local: Active, context: NodeContext, body: unknown): Promise<void> {
  const { name } = body as { name: string };
  const { vmi, domain, uid } = local;
  const found = (await mountsOf(local)).some((each) => each.name === name);
  if (!found) throw notFound({ group: 'subresources.kubevirt.io', resource: 'mounts' }, name);
  const isThere = (): boolean => context.domains.get(uid)?.view.filesystems?.includes(name) ?? false;
  await context.libvirt.calls
    .detachDeviceByAlias(domain.ref, `ua-${name}`, DeviceFlags.LIVE)
    .catch((error: unknown) => {
      // The guest was asked before and has not let go yet, or the device has just gone.
      if (!(error instanceof LibvirtError)) throw error;
    });
  for (const deadline = Date.now() + DETACH_MS; ; ) {
    await context.domains.refresh(domain.ref);
    if (!isThere()) break;
    if (Date.now() > deadline)
      throw conflict(
        VMIS,
        vmi.metadata.name,
        `the guest has not let go of ${JSON.stringify(name)}: unmount it in the guest, then try again`,
      );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  context.recorder.event(vmi, 'Normal', 'DirectoryUnmounted', `Directory ${name} was taken away from the guest`);
}

/** The directories of this node that are shared with a guest. */
export const listMounts = async (local: Active): Promise<MountList> => ({
  apiVersion: 'subresources.kubevirt.io/v1',
  kind: 'MountList',
  items: await mountsOf(local),
});

const mountsOf = async ({ files }: Active): Promise<Mount[]> =>
  (await livingDaemons(files.directory)).flatMap(({ name, hostPath, isReadOnly }) =>
    hostPath === undefined ? [] : [{ name, path: hostPath, readOnly: isReadOnly }],
  );

/** A directory that is kept open, so that no other can be taken for it. */
export interface OpenedDirectory {
  /** Where it is. */
  readonly directory: string;
  readonly handle: FileHandle;
}

/** What tells a directory from all others, as long as it is open. */
export async function identityOf(handle: FileHandle): Promise<string> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Opens the directory that a path leads to, if it may be shared. Whoever owns a part of the path can change where it
 * leads, so what was opened counts.
 */
export async function openDirectory(
  path: string,
  node: { readonly layout: NodeContext['layout']; readonly host: { readonly name: string } },
): Promise<OpenedDirectory> {
  const handle = await realpath(path)
    .then((real) => open(real, O_PATH_NOFOLLOW | constants.O_DIRECTORY))
    .catch(() => undefined);
  if (!handle) throw badRequest(`${path} is not a directory of node ${node.host.name}`);
  try {
    const directory = await readlink(`/proc/self/fd/${handle.fd}`);
    await checkDirectory(path, directory, node.layout);
    return { directory, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Vireo's own files are nobody's, nor are the kernel's. */
async function checkDirectory(path: string, directory: string, layout: NodeContext['layout']): Promise<void> {
  const own = await Promise.all([dirname(layout.vmis), layout.run].map((each) => realpath(each).catch(() => each)));
  const contains = (outer: string, inner: string): boolean =>
    inner === outer || inner.startsWith(outer === '/' ? '/' : `${outer}/`);
  const kernel = ['/proc', '/sys', '/dev'];
  const taken = [...own, ...kernel].find((each) => contains(each, directory) || contains(directory, each));
  if (taken !== undefined)
    throw badRequest(
      `${path} cannot be shared: ${kernel.includes(taken) ? `${taken} is the kernel's` : `Vireo keeps its own files in ${taken}`}`,
    );
}

/** QEMU and virtiofsd work on the same memory, which has to be made for that at the start. */
async function hasSharedMemory({ domain }: Active, { libvirt }: NodeContext): Promise<boolean> {
  const xml = parseXml(await libvirt.calls.domainXml(domain.ref));
  return select(xml, 'memoryBacking/access').some(({ attributes }) => attributes.mode === 'shared');
}

const notShared = (key: string): string =>
  `VMI ${key} was started without shared memory, which virtiofs needs: set the annotation ` +
  `${SHARED_MEMORY_ANNOTATION}: "true" in spec.template.metadata.annotations of the VM, and restart it`;
