import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { openGuestPort } from '../reach/openGuestPort.ts';
import { objectOf, type VmOrVmi } from '../vmSummary.ts';
import { waitFor } from '../waitFor.ts';
import { directWay } from './directWay.ts';
import { clientOptions, hostOf, type SshOptions } from './localClient.ts';
import { findLogin, type Login } from './login.ts';
import type { SshTarget } from './target.ts';

/** Options of the commands that may log in by ssh. */
export interface GuestSshOptions extends ConnectionOptions {
  readonly username?: string;
  readonly identityFile?: string;
}

/** The way by ssh to a guest. */
export interface GuestSsh {
  readonly login: Login;
  /** Options for ssh and scp. */
  readonly args: readonly string[];
  /** `user@vm.web.default`. */
  readonly host: string;
  /** Whether there is a key, so that nobody has to type a password. */
  readonly hasKey: boolean;
}

const SSH_PORT = 22;

/** Puts together how ssh logs in to a guest: as whom, with which key, and as which host. */
export async function guestSsh(connection: Connection, pair: VmOrVmi, options: GuestSshOptions): Promise<GuestSsh> {
  const found = await findLogin(connection, pair);
  const user = options.username ?? found.user;
  const identityFile = options.identityFile ?? found.key?.file;
  const { name } = objectOf(pair).metadata;
  const target: SshTarget = { resource: pair.vm ? 'virtualmachines' : 'virtualmachineinstances', name };
  const knownHosts = join(homedir(), '.ssh', 'kubevirt_known_hosts');
  const sshOptions: SshOptions = { ...options, port: SSH_PORT, knownHosts, ...(identityFile && { identityFile }) };
  const host = hostOf(target, connection.namespace);
  const direct = await directWay(connection, target, SSH_PORT, hostKeyAlias(pair, host));
  return {
    login: { ...found, ...(user && { user }) },
    args: [
      ...clientOptions(target, connection.namespace, sshOptions, direct),
      ...hostKeyOptions(pair, host),
      ...['-o', 'LogLevel=ERROR'],
    ],
    host: user ? `${user}@${host}` : host,
    hasKey: Boolean(options.identityFile ?? found.key),
  };
}

/** The key of a guest is taken at the first connection, and expected at every other. */
export const hostKeyOptions = (pair: VmOrVmi, host: string): string[] => [
  ...['-o', `HostKeyAlias=${hostKeyAlias(pair, host)}`],
  ...['-o', 'StrictHostKeyChecking=accept-new'],
];

/**
 * Under which name the key of a guest is remembered. A VM that was deleted and made again is another guest, and so is
 * each start of a VM whose disks do not outlast it.
 */
export function hostKeyAlias({ vm, vmi }: VmOrVmi, host: string): string {
  const volumes = vm?.spec.template?.spec?.volumes ?? [];
  const isPersistent = volumes.some((each) => each.dataVolume ?? each.persistentVolumeClaim ?? each.hostDisk);
  return `${host}.${(isPersistent ? vm?.metadata.uid : vmi?.metadata.uid) ?? vm?.metadata.uid}`;
}

const GREETING_MS = 5_000;

/** Whether an ssh server answers in the guest. A port alone says nothing: the network of the VM takes every connection. */
export async function answersSsh(connection: Connection, { vmi }: VmOrVmi): Promise<boolean> {
  if (!vmi) return false;
  const target = { resource: 'virtualmachineinstances', name: vmi.metadata.name } as const;
  const stream = await openGuestPort(connection, target, { port: SSH_PORT, protocol: 'tcp' }).catch(() => undefined);
  if (!stream) return false;
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), GREETING_MS);
      const end = (isSsh: boolean) => (): void => {
        clearTimeout(timer);
        resolve(isSsh);
      };
      stream.once('data', (data: Buffer) => end(data.toString('latin1').startsWith('SSH-'))());
      stream.once('close', end(false));
      stream.on('error', end(false));
      stream.resume();
    });
  } finally {
    stream.destroy();
  }
}

/** Waits for the ssh server of a guest that is still booting. */
export async function waitForSsh(connection: Connection, pair: VmOrVmi, timeoutMs: number): Promise<boolean> {
  const answered = await waitFor(async () => ((await answersSsh(connection, pair)) ? true : undefined), {
    timeoutMs,
    intervalMs: 500,
  });
  return answered ?? false;
}
