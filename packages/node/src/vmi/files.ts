import { chmod, chown, mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DomainPaths } from '@vireo/hypervisor';
import { stopShares } from '../filesystems/daemons.ts';
import type { GuestUser } from '../guests/range.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { removeTree } from '../removeTree.ts';

/** Where the things of one VMI are. */
export interface VmiFiles {
  /** Disks and the log: what its guest leaves on the node. */
  readonly directory: string;
  readonly serialLog: string;
  /** Where libvirt keeps the state of its TPM. */
  readonly tpm: string;
  /** Sockets, apart because their paths must be short. */
  readonly sockets: string;
  /** Where QEMU itself may create files; only guests with a user of their own need it. */
  readonly own: string;
  readonly paths: DomainPaths & { readonly serialLog: string };
}

/** `user`: the one that the guest has of its own. */
export function vmiFiles(layout: NodeLayout, uid: string, user?: GuestUser): VmiFiles {
  const directory = join(layout.vmis, uid);
  const sockets = join(layout.run, 'machines', uid);
  const own = join(sockets, 'own');
  const serialLog = join(directory, LOG);
  return {
    directory,
    serialLog,
    tpm: join(layout.libvirt, layout.isRoot ? 'lib/swtpm' : 'etc/libvirt/qemu/swtpm', uid),
    sockets,
    own,
    paths: {
      serialSocket: join(sockets, 'serial'),
      serialLog,
      vncSocket: join(user ? own : sockets, 'vnc'),
      agentSocket: join(sockets, 'agent'),
      metricsSocket: join(sockets, 'metrics'),
      nvram: join(directory, 'nvram.fd'),
      usbRedirectionSockets: Array.from({ length: MAX_USB_REDIRECTIONS }, (_, index) => join(sockets, `usb${index}`)),
    },
  };
}

const LOG = 'serial.log';
/** How many USB devices users can lend a guest at a time, as in KubeVirt. */
const MAX_USB_REDIRECTIONS = 4;

/** Makes the directory of a guest's sockets. What QEMU makes itself comes into a directory of the guest's own. */
export async function makeSocketDirectory({ sockets, own }: VmiFiles, user: GuestUser | undefined): Promise<void> {
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  if (!user) return;
  await chmod(sockets, 0o711);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await chown(own, user.uid, 0);
}

/** Removes what a VMI left. Its log may stay: people read it as long as the launcher is there. */
export async function removeFiles({ directory, sockets, tpm }: VmiFiles, keep: { log: boolean }): Promise<void> {
  await stopShares(directory);
  await removeTree(sockets);
  // A link where the state is to stay: only the link goes.
  await removeTree(tpm);
  if (!keep.log) return removeTree(directory);
  for (const name of await readdir(directory).catch(() => []))
    if (name !== LOG) await removeTree(join(directory, name));
  // Without a log, because the guest was never started, nothing is worth keeping.
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error;
  });
}

/** The uids of all VMIs that have left something on this node. */
export async function vmisWithFiles(layout: NodeLayout): Promise<Set<string>> {
  const places = [layout.vmis, join(layout.run, 'machines')];
  const names = await Promise.all(places.map((place) => readdir(place).catch(() => [])));
  return new Set(names.flat());
}
