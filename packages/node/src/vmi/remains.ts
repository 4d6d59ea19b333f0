import type { NodeContext } from '../context.ts';
import { removeProfile } from '../libvirtd/appArmor.ts';
import { removeFiles, type VmiFiles } from './files.ts';

/** Removes what a VMI has on this host when its guest has ended: processes, rights, files, and what was set aside. */
export async function removeRemains(
  uid: string,
  files: VmiFiles,
  keep: { readonly log: boolean },
  context: Pick<NodeContext, 'groups' | 'layout' | 'users' | 'cpus' | 'network' | 'secondaryNetworks'>,
): Promise<void> {
  const { groups, layout, users, cpus, network, secondaryNetworks } = context;
  await groups.remove(uid);
  await network.leave(uid);
  await secondaryNetworks.leave(uid);
  if (layout.isRoot) await removeProfile(uid);
  await users?.release(uid);
  await removeFiles(files, keep);
  await cpus.release(uid);
}
