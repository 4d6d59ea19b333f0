import { chmod, chown, lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { DiskSource } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import type { PreparedDisk } from '../disks/prepare.ts';
import { BASE } from '../images/containerDisk.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import type { Grant } from './grants.ts';
import type { GuestUser } from './range.ts';

/** What is needed to know whose disk is whose. */
interface DiskContext extends Pick<NodeContext, 'users' | 'layout'> {
  readonly volumes: Pick<NodeContext['volumes'], 'isShared'>;
  /** Whether the guest is on another node still, and has its disks there, too. */
  readonly isIncoming?: boolean;
}

/** Gives a machine the disks that it is about to be started with. */
export async function handOverDisks(
  vmi: Vmi,
  disks: Readonly<Record<string, PreparedDisk>>,
  { directory, user }: { readonly directory: string; readonly user: GuestUser },
  context: DiskContext,
): Promise<void> {
  for (const [volume, source] of Object.entries(disks)) {
    const { path, backing = [] } = source;
    if (dirname(path) === directory) await chown(path, user.uid, 0);
    else await grantDisk(vmi, volume, source, isComing(vmi, volume) ? { ...context, isIncoming: false } : context);
    for (const each of backing) if (dirname(each) !== directory) await grantBacking(vmi, each, context);
  }
  for (const name of await readdir(directory))
    if (name.endsWith(BASE) || name.startsWith('boot.')) await letAllRead(join(directory, name));
}

/** Whether a volume comes to another claim with its guest: nobody has that claim yet. */
const isComing = (vmi: Vmi, volume: string): boolean =>
  migratedVolumes(vmi).some(({ volumeName }) => volumeName === volume);

/** Lets a machine read what one of its disks lies on. A link is only passed: what it leads to is among the files, too. */
async function grantBacking({ metadata }: Vmi, path: string, { users }: Pick<NodeContext, 'users'>): Promise<void> {
  if ((await lstat(path)).isSymbolicLink()) await users?.openWay(path);
  else await users?.grant(metadata.uid, { path, access: 'read' });
}

/** Many machines share the file, by links in directories of their own. It stays root's. */
async function letAllRead(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (!(mode & 0o004)) await chmod(path, (mode & 0o777) | 0o444);
}

/** Gives a machine the disk of a volume that is not in its own directory. */
export async function grantDisk(
  vmi: Vmi,
  volume: string,
  source: DiskSource,
  { users, layout, volumes, isIncoming = false }: DiskContext,
): Promise<void> {
  const user = users?.of(vmi.metadata.uid);
  if (!users || !user) return;
  const device = vmi.spec.domain.devices.disks?.find(({ name }) => name === volume);
  const isReadOnly = source.readOnly || device?.cdrom || device?.disk?.readonly || device?.lun?.readonly;
  const { path } = source;
  const isOurs = source.kind === 'file' && (path.startsWith(`${layout.volumes}/`) || volumes.isShared(path));
  const access: Grant['access'] = isReadOnly ? 'read' : device?.shareable || !isOurs || isIncoming ? 'write' : 'own';
  if (access !== 'write') return users.grant(vmi.metadata.uid, { volume, path, access });
  const { uid, mode } = await lstat(path);
  // It has it already, on a file system without access control lists; the ledger knows whose it was.
  if (uid === user.uid) return;
  const former = { uid: isGuest(uid, users.common) ? 0 : uid, mode: mode & 0o7777 };
  await users.grant(vmi.metadata.uid, { volume, path, access, former });
}

/** Whether a user is one of our guests, which may be gone when the next one is. */
const isGuest = (uid: number, common: GuestUser | undefined): boolean =>
  common !== undefined && uid >= common.uid && uid < common.uid + MOST_GUESTS;
const MOST_GUESTS = 65_536;

/** Takes away the disks that were unplugged from a machine that runs, and the discs that were ejected. */
export async function revokeUnplugged(
  { uid, vmi, domain, cache }: LocalVmi,
  { users }: Pick<NodeContext, 'users'>,
): Promise<void> {
  if (!domain) return;
  const { diskTargets, drives } = domain.view;
  await users?.revoke(uid, ({ volume, path }) => {
    if (volume === undefined) return false;
    const isOpen = [...cache.unplugged.keys()].some((left) => path === left || path.startsWith(`${left}/`));
    const isFilesystem = vmi?.spec.domain.devices.filesystems?.some(({ name }) => name === volume);
    if (isOpen || isFilesystem) return false;
    const drive = drives[volume];
    return drive ? drive.source !== path : !Object.hasOwn(diskTargets, volume);
  });
}
