import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Version } from '@vireo/libvirt';
import { VolumeError } from '../disks/volumeError.ts';
import { exists } from '../exists.ts';
import { commandAs, isProcessOf } from '../guests/processes.ts';
import type { GuestUser } from '../guests/range.ts';

/** The emulator of a machine's TPM. */
export interface Tpm {
  /** Of the machine's user, and nobody else's. */
  readonly state: string;
  /** A link to the state, by a path that swtpm can take: in its options a comma ends a path. */
  readonly link: string;
  /** Where QEMU finds it. */
  readonly socket: string;
  /** Where its number is kept, out of the guest's reach. */
  readonly pidFile: string;
}

/**
 * Makes the state of a new TPM, with the certificates that a certificate authority of the host signs, as libvirt would.
 * We do that ourselves, for the guest's user has no business with the authority: `state` is still ours alone. It is a
 * path without commas, which swtpm would take for the end of it.
 */
export async function setUpTpm(state: string, vmid: string, timeoutMs = TIMEOUT_MS): Promise<void> {
  if (await exists(join(state, 'tpm2-00.permall'))) return;
  const parts = ['--createek', '--create-ek-cert', '--create-platform-cert', '--lock-nvram', '--not-overwrite'];
  await run('swtpm_setup', ['swtpm_setup', '--tpm2', '--tpmstate', state, '--vmid', vmid, ...parts], { timeoutMs });
}

/** It makes keys and certificates within a second, on a slow and busy host within many. */
const TIMEOUT_MS = 120_000;
/** With which a shell or setpriv says that there is no such program. */
const MISSING = 127;
/** Its output is read up to here; what it says in the end is what matters. */
const MOST_OUTPUT_BYTES = 4096;

/**
 * Has a TPM wait for its guest, as the guest's user. libvirt would start one of its own for all guests as one user; this
 * one belongs to its guest, and ends with it.
 */
export async function startTpm(tpm: Tpm, user: GuestUser): Promise<void> {
  // An earlier try to start the guest may have left it, or be using it.
  if (await isTpmRunning(tpm, user)) return;
  await rm(tpm.link, { force: true });
  await symlink(tpm.state, tpm.link);
  const pidFile = await open(tpm.pidFile, 'w', 0o600);
  try {
    await run(
      'swtpm',
      commandAs(user, [
        'swtpm',
        'socket',
        '--tpm2',
        '--tpmstate',
        `dir=${tpm.link},mode=0600`,
        '--ctrl',
        `type=unixio,path=${tpm.socket},mode=0600`,
        '--pid',
        'fd=3',
        '--terminate',
        '--daemon',
      ]),
      { fd: pidFile.fd },
    );
  } finally {
    await pidFile.close();
  }
}

/** libvirt connects guests to a TPM that it has not started since its version 9.0. Its own belong to no guest's user. */
export function expectExternalTpm({ major, minor, release }: Version): void {
  if (major >= 9) return;
  throw new VolumeError(
    'CreateContainerConfigError',
    `the TPM cannot be started: libvirt ${major}.${minor}.${release} is too old for the TPM of a guest with a user of its ` +
      "own: install libvirt 9.0 or newer, remove the TPM from the VM, or enable KubeVirt's feature gate Root",
  );
}

/** Where the state of a TPM is below a directory: as libvirt has it. */
export const tpmState = (directory: string): string => join(directory, 'tpm2');

/** Whether a TPM waits for its guest, or serves it. */
export async function isTpmRunning({ pidFile }: Tpm, { uid }: GuestUser): Promise<boolean> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  return pid > 1 && (await isProcessOf(pid, uid));
}

/** Runs a program. What it says when it fails is why the machine cannot have its TPM. */
async function run(
  name: string,
  [program = '', ...words]: readonly string[],
  { fd, timeoutMs = TIMEOUT_MS }: { readonly fd?: number; readonly timeoutMs?: number },
): Promise<void> {
  const child = spawn(program, words, {
    // A group of its own, which ends as one.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', ...(fd === undefined ? [] : [fd])],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = `${output}${chunk}`.slice(-MOST_OUTPUT_BYTES);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, timeoutMs);
  // Not `close`: whoever goes on in the background has our pipes.
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return MISSING;
      throw error;
    })
    .finally(() => clearTimeout(timer));
  if (code === 0) return;
  await sleep(0);
  const said = output.trim().split('\n').slice(-3).join('; ');
  const isMissing = code === MISSING && /^$|failed to execute/.test(said);
  const failure = isLate ? `it took longer than ${timeoutMs / 1000} s` : said || `exit code ${code}`;
  const why = isMissing ? 'install the packages swtpm and swtpm-tools' : failure;
  throw new VolumeError('CreateContainerConfigError', `the TPM cannot be started: ${name}: ${why}`);
}

/** A program that has not ended, and those that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
