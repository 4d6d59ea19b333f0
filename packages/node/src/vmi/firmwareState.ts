import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Persisted, Pod } from '@vireo/api';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { openDirectory, pathOfEntry } from '../guests/entry.ts';
import { handOverDirectory } from '../guests/ownFile.ts';
import type { GuestUser } from '../guests/range.ts';
import type { NodeVolumes } from '../volumes/index.ts';
import type { VmiFiles } from './files.ts';
import { expectExternalTpm, isTpmRunning, setUpTpm, type Tpm, tpmState } from './tpm.ts';
import { type FirmwareNeeds, firmwareNeeds, readDescriptions, variablesTemplate } from './uefiTemplate.ts';

/** What the firmware of a VMI keeps, and where. */
export interface FirmwareState {
  /** The variables of UEFI, where they outlive the VMI. */
  readonly nvram?: string;
  /** The TPM that is ours to start; libvirt starts that of a guest without a user of its own. */
  readonly tpm?: Tpm;
}

/** A guest with a user of its own. */
interface Guest {
  readonly user: GuestUser;
  readonly context: Pick<NodeContext, 'users' | 'host'> & {
    readonly libvirt: { readonly calls: Pick<NodeContext['libvirt']['calls'], 'version'> };
  };
}

const NVRAM = 'nvram';

type StateFiles = Pick<VmiFiles, 'tpm' | 'directory' | 'sockets' | 'own' | 'paths'>;

/**
 * Finds the directory in which the firmware of a VMI keeps what outlives the VMI, and leads libvirt there. What
 * does not outlive it is with the other files of the VMI. Throws VolumeError while the claim cannot be had. `isIncoming`:
 * the guest comes from another node, with its state.
 */
export async function firmwareState(
  vmi: Vmi,
  pod: Persisted<Pod> | undefined,
  files: StateFiles,
  volumes: Pick<NodeVolumes, 'claimDirectory'>,
  guest?: Guest,
  isIncoming = false,
): Promise<FirmwareState> {
  const claim = pod?.spec?.volumes?.find(({ name }) => name === STATE_VOLUME)?.persistentVolumeClaim?.claimName;
  const kept = claim === undefined ? undefined : await volumes.claimDirectory(vmi, claim);
  const { firmware, devices } = vmi.spec.domain;
  const keepsTpm = kept !== undefined && devices.tpm?.persistent;
  const keepsVariables = kept !== undefined && firmware?.bootloader?.efi?.persistent;
  const nvram = keepsVariables ? join(kept, NVRAM, 'vars.fd') : undefined;
  if (!guest) {
    if (nvram !== undefined) await expectNoLink(kept as string, nvram);
    if (keepsTpm) await linkTo(kept, files.tpm);
    return { ...(nvram !== undefined && { nvram }) };
  }
  const variables = nvram ?? files.paths.nvram;
  if (variables !== undefined) await makeVariables(vmi, variables, nvram === undefined ? undefined : kept, guest);
  const hasTpm = devices.tpm !== undefined && devices.tpm.enabled !== false;
  const tpm = hasTpm ? await ownTpm(vmi, files, keepsTpm ? kept : undefined, guest, isIncoming) : undefined;
  return { ...(nvram !== undefined && { nvram }), ...(tpm && { tpm }) };
}

/** libvirt keeps the state of a TPM below the domain's UUID, and that is another one for each VMI. */
async function linkTo(kept: string, place: string): Promise<void> {
  await (await openDirectory(kept, ['swtpm'], 0o700)).close();
  if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) return;
  await mkdir(dirname(place), { recursive: true, mode: 0o711 });
  await symlink(join(kept, 'swtpm'), place);
}

/** libvirt would follow it: guests that share the volume may have put it there. */
async function expectNoLink(kept: string, nvram: string): Promise<void> {
  const directory = await openDirectory(kept, [NVRAM], 0o711);
  try {
    const found = await lstat(join(pathOfEntry(directory), basename(nvram))).catch(() => undefined);
    if (found && !found.isFile())
      throw new VolumeError('CreateContainerConfigError', `${nvram} is not a file: remove it`);
  } finally {
    await directory.close();
  }
}

/** libvirt would make them as root's, which the guest's user cannot open. `kept`: the volume that they are on. */
async function makeVariables(
  vmi: Vmi,
  path: string,
  kept: string | undefined,
  { context: { users, host } }: Guest,
): Promise<void> {
  const needs = firmwareNeeds(vmi, host.architecture);
  if (!needs) return;
  const directory = await openDirectory(kept ?? dirname(path), kept === undefined ? [] : [NVRAM], 0o711);
  try {
    await copyVariables(needs, join(pathOfEntry(directory), basename(path)));
  } finally {
    await directory.close();
  }
  await users?.grant(vmi.metadata.uid, { path, access: 'own', ...(kept !== undefined && { root: kept }) });
}

/** What is there is kept: no guest is given it unless it is a file. */
async function copyVariables(needs: FirmwareNeeds, path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) return;
  const template = variablesTemplate(needs, await readDescriptions());
  if (template === undefined) {
    const kind = `${needs.secureBoot ? 'with' : 'without'} secure boot for ${needs.machine}`;
    const missing = needs.architecture === 'aarch64' ? 'qemu-efi-aarch64' : 'ovmf';
    throw new VolumeError('CreateContainerConfigError', `this node has no UEFI firmware ${kind}: install ${missing}`);
  }
  await rm(`${path}.new`, { force: true });
  await copyFile(template, `${path}.new`, constants.COPYFILE_EXCL);
  await rename(`${path}.new`, path);
}

/** The state of a TPM that the guest's user has alone, with all that is in it. */
async function ownTpm(
  vmi: Vmi,
  { directory, sockets, own }: StateFiles,
  kept: string | undefined,
  { user, context: { users, libvirt } }: Guest,
  isIncoming: boolean,
): Promise<Tpm> {
  const above = kept === undefined ? join(directory, 'tpm') : join(kept, 'swtpm');
  const state = tpmState(above);
  const tpm = { state, link: join(sockets, 'tpm'), socket: join(own, 'tpm'), pidFile: join(directory, 'tpm.pid') };
  if (await isTpmRunning(tpm, user)) return tpm;
  expectExternalTpm(await libvirt.calls.version());
  const root = kept ?? directory;
  const parent = await openDirectory(root, [basename(above)], 0o711);
  await chmod(pathOfEntry(parent), 0o711).finally(() => parent.close());
  const entry = await openDirectory(root, [basename(above), basename(state)], 0o700);
  try {
    const place = pathOfEntry(entry);
    await handOverDirectory(place, 0);
    // One that comes brings its keys and certificates along.
    if (!isIncoming) await setUpTpm(place, `${vmi.metadata.namespace}/${vmi.metadata.name}:${vmi.metadata.uid}`);
    await handOverDirectory(place, user.uid);
  } finally {
    await entry.close();
  }
  await users?.grant(vmi.metadata.uid, { path: state, root, access: 'own' });
  return tpm;
}
