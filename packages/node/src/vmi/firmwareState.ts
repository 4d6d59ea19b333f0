import { chmod, copyFile, lstat, mkdir, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Persisted, Pod } from '@vireo/api';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { exists } from '../exists.ts';
import { handOverDirectory } from '../guests/ownFile.ts';
import type { GuestUser } from '../guests/range.ts';
import type { NodeVolumes } from '../volumes/index.ts';
import type { VmiFiles } from './files.ts';
import { isTpmRunning, setUpTpm, type Tpm, tpmState } from './tpm.ts';
import { firmwareNeeds, readDescriptions, variablesTemplate } from './uefiTemplate.ts';

/** What the firmware of a VMI keeps, and where. */
export interface FirmwareState {
  /** The variables of UEFI, where they outlive the VMI. */
  readonly nvram?: string;
  /** The TPM that is ours to start; libvirt starts that of a guest without a user of its own. */
  readonly tpm?: Tpm;
}

type StateFiles = Pick<VmiFiles, 'tpm' | 'directory' | 'sockets' | 'own' | 'paths'>;

/**
 * Finds the directory in which the firmware of a VMI keeps what outlives the VMI, and leads libvirt there. What
 * does not outlive it is with the other files of the VMI. Throws VolumeError while the claim cannot be had.
 */
export async function firmwareState(
  vmi: Vmi,
  pod: Persisted<Pod> | undefined,
  files: StateFiles,
  volumes: Pick<NodeVolumes, 'claimDirectory'>,
  guest?: { readonly user: GuestUser; readonly context: Pick<NodeContext, 'users' | 'host'> },
): Promise<FirmwareState> {
  const claim = pod?.spec?.volumes?.find(({ name }) => name === STATE_VOLUME)?.persistentVolumeClaim?.claimName;
  const kept = claim === undefined ? undefined : await volumes.claimDirectory(vmi, claim);
  const { firmware, devices } = vmi.spec.domain;
  const keepsTpm = kept !== undefined && devices.tpm?.persistent;
  const keepsVariables = kept !== undefined && firmware?.bootloader?.efi?.persistent;
  const nvram = keepsVariables ? join(kept, 'nvram', 'vars.fd') : undefined;
  if (nvram !== undefined) await mkdir(dirname(nvram), { recursive: true, mode: 0o711 });
  if (!guest) {
    if (keepsTpm) await linkTo(join(kept, 'swtpm'), files.tpm);
    return { ...(nvram !== undefined && { nvram }) };
  }
  await makeVariables(vmi, nvram ?? files.paths.nvram, guest);
  const hasTpm = devices.tpm !== undefined && devices.tpm.enabled !== false;
  const tpm = hasTpm ? await ownTpm(vmi, files, keepsTpm ? join(kept, 'swtpm') : undefined, guest) : undefined;
  return { ...(nvram !== undefined && { nvram }), ...(tpm && { tpm }) };
}

/** libvirt keeps the state of a TPM below the domain's UUID, and that is another one for each VMI. */
async function linkTo(directory: string, place: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o711 });
  await symlink(directory, place);
}

/** libvirt would make them as root's, which the guest's user cannot open. */
async function makeVariables(
  vmi: Vmi,
  path: string | undefined,
  { context: { users, host } }: { readonly context: Pick<NodeContext, 'users' | 'host'> },
): Promise<void> {
  const needs = firmwareNeeds(vmi, host.architecture);
  if (!needs || path === undefined) return;
  if (!(await exists(path))) {
    const template = variablesTemplate(needs, await readDescriptions());
    if (template === undefined) {
      const kind = `${needs.secureBoot ? 'with' : 'without'} secure boot for ${needs.machine}`;
      const missing = needs.architecture === 'aarch64' ? 'qemu-efi-aarch64' : 'ovmf';
      throw new VolumeError('CreateContainerConfigError', `this node has no UEFI firmware ${kind}: install ${missing}`);
    }
    await copyFile(template, `${path}.new`);
    await chmod(`${path}.new`, 0o600);
    await rename(`${path}.new`, path);
  }
  await users?.grant(vmi.metadata.uid, { path, access: 'own' });
}

/** The state of a TPM that the guest's user has alone, with all that is in it. */
async function ownTpm(
  vmi: Vmi,
  { directory, sockets, own }: StateFiles,
  kept: string | undefined,
  { user, context: { users } }: { readonly user: GuestUser; readonly context: Pick<NodeContext, 'users'> },
): Promise<Tpm> {
  const state = tpmState(kept ?? join(directory, 'tpm'));
  const tpm = { state, link: join(sockets, 'tpm'), socket: join(own, 'tpm'), pidFile: join(directory, 'tpm.pid') };
  if (await isTpmRunning(tpm, user)) return tpm;
  await mkdir(dirname(state), { recursive: true, mode: 0o711 });
  await chmod(dirname(state), 0o711);
  await mkdir(state, { recursive: true, mode: 0o700 });
  await handOverDirectory(state, 0);
  await setUpTpm(state, `${vmi.metadata.namespace}/${vmi.metadata.name}:${vmi.metadata.uid}`);
  await handOverDirectory(state, user.uid);
  await users?.grant(vmi.metadata.uid, { path: state, access: 'own' });
  return tpm;
}
