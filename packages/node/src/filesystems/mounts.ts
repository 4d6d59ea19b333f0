import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badRequest, conflict, notFound } from '@vireo/api';
import { type Mount, type MountList, SHARED_MEMORY_ANNOTATION } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { convertFilesystem } from '@vireo/hypervisor';
import { parseXml, select } from '@vireo/hypervisor/xml.ts';
import { DeviceFlags, LibvirtError } from '@vireo/libvirt';
import type { Active } from '../api/actions.ts';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
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
  const { vmi, domain, key } = local;
  const directory = await directoryAt(path, context);
  if (!(await hasSharedMemory(local, context))) throw conflict(VMIS, vmi.metadata.name, notShared(key));
  if (domain.view.filesystems?.includes(name))
    throw conflict(
      VMIS,
      vmi.metadata.name,
      `the guest already has a filesystem ${JSON.stringify(name)}: choose another name`,
    );
  const ids = context.layout.isRoot ? await shareIds(local.user) : undefined;
  const share = { name, directory, isReadOnly: readOnly, owner: ids && (await ownerOfDirectory(directory, ids)) };
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
  const right = readOnly ? ', which can only read it' : '';
  const message = `Directory ${path} of node ${context.host.name} is shared with the guest as ${name}${right}`;
  context.recorder.event(vmi, 'Normal', 'DirectoryMounted', message);
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

/** Where a path leads, if that is a directory that may be shared: Vireo's own files are nobody's. */
export async function directoryAt(
  path: string,
  { layout, host }: { readonly layout: NodeContext['layout']; readonly host: { readonly name: string } },
): Promise<string> {
  const directory = await realpath(path).catch(() => undefined);
  if (directory === undefined || !(await stat(directory)).isDirectory())
    throw badRequest(`${path} is not a directory of node ${host.name}`);
  const own = await Promise.all([dirname(layout.vmis), layout.run].map((each) => realpath(each).catch(() => each)));
  const contains = (outer: string, inner: string): boolean =>
    inner === outer || inner.startsWith(outer === '/' ? '/' : `${outer}/`);
  const kernel = ['/proc', '/sys', '/dev'];
  const taken = [...own, ...kernel].find((each) => contains(each, directory) || contains(directory, each));
  if (taken !== undefined)
    throw badRequest(
      `${path} cannot be shared: ${kernel.includes(taken) ? `${taken} is the kernel's` : `Vireo keeps its own files in ${taken}`}`,
    );
  return directory;
}

/** QEMU and virtiofsd work on the same memory, which has to be made for that at the start. */
async function hasSharedMemory({ domain }: Active, { libvirt }: NodeContext): Promise<boolean> {
  const xml = parseXml(await libvirt.calls.domainXml(domain.ref));
  return select(xml, 'memoryBacking/access').some(({ attributes }) => attributes.mode === 'shared');
}

const notShared = (key: string): string =>
  `VMI ${key} was started without shared memory, which virtiofs needs: set the annotation ` +
  `${SHARED_MEMORY_ANNOTATION}: "true" in spec.template.metadata.annotations of the VM, and restart it`;
