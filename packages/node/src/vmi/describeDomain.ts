import type { Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { convertDomain, type DiskSource, resolveRuntime } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { exists } from '../exists.ts';
import { startShares } from '../filesystems/daemons.ts';
import { daemonSite } from '../filesystems/ofVmi.ts';
import type { GuestUser } from '../guests/range.ts';
import { guestPid } from '../shutdown/guestProcesses.ts';
import { networksAtStart, writeNetworks } from './connectedNetworks.ts';
import { makeSocketDirectory, type VmiFiles } from './files.ts';
import { claimSizes } from './growDisks.ts';
import { type LauncherOptions, launcherOptions } from './launcher.ts';
import type { LocalVmi } from './localVmi.ts';
import { setMemlockLimit } from './memlock.ts';
import { domainSources } from './prepare.ts';
import { startTpm } from './tpm.ts';

/** A domain that can be started: everything that it names on this node is there. */
export interface DescribedDomain {
  readonly xml: string;
  readonly files: VmiFiles;
  readonly user: GuestUser | undefined;
}

/** A VMI with its launcher on this node. */
export type LaunchedVmi = LocalVmi & { readonly vmi: Vmi; readonly pod: Persisted<Pod> };

/**
 * Makes everything ready that a VMI is run from on this node, and describes its domain. `plugged` are the disks that were
 * plugged in while it ran, where it comes from another node.
 */
export async function describeDomain(
  local: LaunchedVmi,
  context: NodeContext,
  plugged: Readonly<Record<string, DiskSource>> = {},
): Promise<DescribedDomain> {
  const { vmi, pod, uid } = local;
  const { firmware, files, user, cpus, shares, ...sources } = await domainSources(vmi, local, context);
  const { tpm, ...state } = firmware;
  await makeSocketDirectory(files, user);
  if (tpm && user) await startTpm(tpm, user);
  const filesystems = await startShares(shares, daemonSite({ ...local, files, user }, context));
  const networks = networksAtStart(vmi);
  if (networks.size > 0) await writeNetworks(files.directory, networks);
  local.cache.networks = networks;
  // QEMU finds them so, or larger, when it opens them.
  for (const [volume, bytes] of claimSizes(vmi, context)) local.cache.diskBytes.set(volume, bytes);
  const choice = launcherOptions(pod);
  if (user) await openDevices(choice, context);
  const xml = convertDomain(vmi, {
    ...choice,
    architecture: context.host.architecture,
    domainUuid: uid,
    ...sources,
    volumes: { ...sources.volumes, ...plugged },
    ...cpus,
    filesystems,
    paths: { ...files.paths, ...state, ...(tpm && { tpmSocket: tpm.socket }) },
    ...(user && { user }),
  });
  return { xml, files, user };
}

/** Devices of the hypervisor, such as KVM, are opened by the guest's own process. One that is missing is missed there. */
async function openDevices(
  { hypervisor, useEmulation }: LauncherOptions,
  { users, host }: Pick<NodeContext, 'users' | 'host'>,
): Promise<void> {
  for (const { path } of resolveRuntime(hypervisor, useEmulation, host.architecture).deviceRequests)
    if (await exists(path)) await users?.openDevice(path);
}

/** What the process of a guest may lock, and on which CPUs it may run. Its limits come when it is synced. */
export async function confineGuest(local: LocalVmi, context: NodeContext): Promise<void> {
  await setMemlockLimit(local, context);
  const pid = await guestPid(context.layout, local.key);
  if (pid !== undefined) await context.cpus.confineShared({ pid, key: local.key });
}
