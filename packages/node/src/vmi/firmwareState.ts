import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Persisted, Pod } from '@vireo/api';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NodeVolumes } from '../volumes/index.ts';
import type { VmiFiles } from './files.ts';

/** Where the variables of UEFI are kept; undefined for a VMI whose variables go with it. */
export type FirmwareState = { readonly nvram?: string };

/**
 * Finds the directory in which the firmware of a VMI keeps what outlives the VMI, and leads libvirt there. What
 * does not outlive it is with the other files of the VMI. Throws VolumeError while the claim cannot be had.
 */
export async function firmwareState(
  vmi: Vmi,
  pod: Persisted<Pod> | undefined,
  files: Pick<VmiFiles, 'tpm'>,
  volumes: Pick<NodeVolumes, 'claimDirectory'>,
): Promise<FirmwareState> {
  const claim = pod?.spec?.volumes?.find(({ name }) => name === STATE_VOLUME)?.persistentVolumeClaim?.claimName;
  if (claim === undefined) return {};
  const directory = await volumes.claimDirectory(vmi, claim);
  const { firmware, devices } = vmi.spec.domain;
  if (devices.tpm?.persistent) await linkTo(join(directory, 'swtpm'), files.tpm);
  if (!firmware?.bootloader?.efi?.persistent) return {};
  const nvram = join(directory, 'nvram');
  await mkdir(nvram, { recursive: true, mode: 0o700 });
  return { nvram: join(nvram, 'vars.fd') };
}

/** libvirt keeps the state of a TPM below the domain's UUID, and that is another one for each VMI. */
async function linkTo(directory: string, place: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o711 });
  await symlink(directory, place);
}
