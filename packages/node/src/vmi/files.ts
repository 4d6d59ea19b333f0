import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DomainPaths } from '@vireo/hypervisor';
import type { NodeLayout } from '../libvirtd/layout.ts';

/** Where the things of one VMI are. */
export interface VmiFiles {
  /** Disks and the log: what its guest leaves on the node. */
  readonly directory: string;
  readonly serialLog: string;
  /** Where libvirt keeps the state of its TPM. */
  readonly tpm: string;
  /** Sockets, apart because their paths must be short. */
  readonly sockets: string;
  readonly paths: DomainPaths & { readonly serialLog: string };
}

export function vmiFiles(layout: NodeLayout, uid: string): VmiFiles {
  const directory = join(layout.vmis, uid);
  const sockets = join(layout.run, 'machines', uid);
  const serialLog = join(directory, LOG);
  return {
    directory,
    serialLog,
    tpm: join(layout.libvirt, layout.isRoot ? 'lib/swtpm' : 'etc/libvirt/qemu/swtpm', uid),
    sockets,
    paths: {
      serialSocket: join(sockets, 'serial'),
      serialLog,
      vncSocket: join(sockets, 'vnc'),
      agentSocket: join(sockets, 'agent'),
      nvram: join(directory, 'nvram.fd'),
      usbRedirectionSockets: Array.from({ length: MAX_USB_REDIRECTIONS }, (_, index) => join(sockets, `usb${index}`)),
    },
  };
}

const LOG = 'serial.log';
/** How many USB devices users can lend a guest at a time, as in KubeVirt. */
const MAX_USB_REDIRECTIONS = 4;

/** Removes what a VMI left. Its log may stay: people read it as long as the launcher is there. */
export async function removeFiles({ directory, sockets, tpm }: VmiFiles, keep: { log: boolean }): Promise<void> {
  await rm(sockets, { recursive: true, force: true });
  // A link where the state is to stay: only the link goes.
  await rm(tpm, { recursive: true, force: true });
  if (!keep.log) return rm(directory, { recursive: true, force: true });
  for (const name of await readdir(directory).catch(() => []))
    if (name !== LOG) await rm(join(directory, name), { recursive: true, force: true });
}

/** The uids of all VMIs that have left something on this node. */
export async function vmisWithFiles(layout: NodeLayout): Promise<Set<string>> {
  const places = [layout.vmis, join(layout.run, 'machines')];
  const names = await Promise.all(places.map((place) => readdir(place).catch(() => [])));
  return new Set(names.flat());
}
