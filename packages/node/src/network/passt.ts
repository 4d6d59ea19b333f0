import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, isLibvirtError, type Libvirt } from '@vireo/libvirt';

/** What is known of passt on this host. */
export interface PasstState {
  readonly isInstalled: boolean;
  /** Such as `9.0.0`. */
  readonly libvirtVersion: string;
  /** Why libvirt takes no interface with it; undefined if it does. */
  readonly refusal?: string | undefined;
}

/**
 * Why guests without addresses of their own have QEMU's user networking, and not passt, which is faster; undefined where there
 * is no passt. A libvirt that takes it is not enough: it starts passt without `--no-map-gw`, so guests would reach the loopback
 * addresses of this host by the address of their gateway, and as a user that no rule of ours tells from others.
 */
export function whyNoPasst({ isInstalled, libvirtVersion, refusal }: PasstState): string | undefined {
  if (!isInstalled) return undefined;
  if (refusal !== undefined) return `passt is installed, but libvirt ${libvirtVersion} does not accept it (${refusal})`;
  return `passt is installed, but libvirt ${libvirtVersion} cannot have it keep guests from the loopback addresses of this host (--no-map-gw)`;
}

/** Looks what there is of passt. `socket`: of the libvirtd of this node, whose driver for tests is asked. */
export async function probePasst(socket: string, path = process.env.PATH ?? ''): Promise<PasstState> {
  if (!(await isInstalled('passt', path))) return { isInstalled: false, libvirtVersion: '' };
  const libvirt = await connect({ socket, uri: 'test:///default' });
  try {
    const { major, minor, release } = await libvirt.version();
    const refusal = await backendRefusal(libvirt, 'passt');
    return { isInstalled: true, libvirtVersion: `${major}.${minor}.${release}`, refusal };
  } finally {
    await libvirt.close();
  }
}

async function isInstalled(program: string, path: string): Promise<boolean> {
  const found = await Promise.all(
    path.split(':').map((directory) =>
      access(join(directory, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Why libvirt takes no interface with a backend, or without one; undefined if it does. Versions say nothing of it: it is tried. */
export async function backendRefusal(
  libvirt: Pick<Libvirt, 'defineDomain' | 'undefineDomain'>,
  backend?: 'passt' | 'none-such',
): Promise<string | undefined> {
  const xml = `<domain type="test"><name>vireo-backend-probe</name><memory>1024</memory><os><type>hvm</type></os><devices>
    <interface type="user"><backend${backend ? ` type="${backend}"` : ''}/></interface></devices></domain>`;
  try {
    await libvirt.undefineDomain(await libvirt.defineDomain(xml));
    return undefined;
  } catch (error) {
    if (!isLibvirtError(error)) throw error;
    return error.message;
  }
}
