import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecStatus } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import type { MountList } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { shellWord } from '../../readyText.ts';
import { actionPath, type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { dryRunBody } from '../dryRun.ts';
import { askGuest } from '../exec/agentRefusal.ts';
import { findVm } from '../findVm.ts';
import { orFail } from '../refusal.ts';
import { requireRunning } from '../requireRunning.ts';
import { formatTable } from '../table.ts';

export interface MountCommandOptions extends ConnectionOptions {
  readonly readOnly?: boolean;
  /** Where the guest is to mount it. */
  readonly at?: string;
  readonly dryRun?: boolean;
}

/** Shares a directory of a VM's node with its guest; without a directory, lists those that are. */
export function mount(
  vm: string,
  directory: string | undefined,
  name: string | undefined,
  options: MountCommandOptions,
): Promise<void> {
  return connected(options, async (connection) => {
    requireRunning(await findVm(connection, vm));
    if (directory === undefined) return listMounts(connection, vm);
    const path = resolve(directory);
    // The root directory has no name; the server says what is wrong with it.
    const tag = name ?? (path.split('/').at(-1) || 'root');
    if (options.at !== undefined && !options.at.startsWith('/'))
      throw new Failure(`--at ${options.at} is not an absolute path of the guest`);
    const { readOnly = false } = options;
    const body = { path, name: tag, readOnly, ...dryRunBody(options) };
    await change(connection, vm, 'mount', body, `cannot share ${path} with VM ${vm}`);
    if (options.dryRun) return;
    if (options.at !== undefined) await mountInGuest(connection, vm, tag, options.at);
    console.log(`${path} is shared with VM ${vm} as ${tag}${options.at ? `, at ${options.at} in the guest` : ''}`);
    if (options.at === undefined)
      console.log(`To use it, in the guest, as root: mount -t virtiofs ${shellWord(tag)} /mnt`);
  });
}

/** Takes a shared directory away from a guest. */
export function unmount(vm: string, name: string, options: ConnectionOptions & { dryRun?: boolean }): Promise<void> {
  return connected(options, async (connection) => {
    requireRunning(await findVm(connection, vm));
    const body = { name, ...dryRunBody(options) };
    await change(connection, vm, 'unmount', body, `cannot take ${name} away from VM ${vm}`);
    if (!options.dryRun) console.log(`${name} is no longer shared with VM ${vm}`);
  });
}

const change = (connection: Connection, vm: string, action: string, body: object, doing: string): Promise<unknown> => {
  const path = actionPath(connection, 'virtualmachineinstances', vm, action);
  return orFail(
    connection,
    (why) => `${doing}: ${why}`,
    () => connection.client.call({ method: 'PUT', path, body }),
  );
};

async function listMounts(connection: Connection, vm: string): Promise<void> {
  const path = actionPath(connection, 'virtualmachineinstances', vm, 'mounts');
  const { items } = (await orFail(
    connection,
    (why) => `cannot list the directories that are shared with VM ${vm}: ${why}`,
    () => connection.client.call({ method: 'GET', path }),
  )) as MountList;
  const rows = items.map((each) => [each.name, each.path, each.readOnly ? 'read-only' : 'read-write']);
  console.log(
    rows.length > 0 ? formatTable([['NAME', 'DIRECTORY', 'ACCESS'], ...rows]) : `VM ${vm} shares no directories.`,
  );
}

/** Arguments and not words of the script: nothing in them is read by the shell. */
const SCRIPT = 'mkdir -p -- "$2" && exec mount -t virtiofs -- "$1" "$2"';

const errorOf = ({ stderr }: ExecStatus): string =>
  Buffer.from(stderr ?? '', 'base64')
    .toString()
    .trim();

/** How long a guest may take to find a device that was just plugged in. */
const FIND_MS = 10_000;
const FIRST_WAIT_MS = 250;

/**
 * Mounts, and again when the guest does not know the name: the kernel's EINVAL, which util-linux has more words for. It
 * finds new devices in its own time.
 */
export async function untilFound(
  run: () => Promise<ExecStatus>,
  wait: (ms: number) => Promise<unknown> = delay,
): Promise<ExecStatus> {
  for (let [waitMs, waitedMs] = [FIRST_WAIT_MS, 0]; ; waitMs *= 2) {
    const status = await run();
    const isUnknown = status.exitCode !== 0 && /invalid argument|wrong fs type/i.test(errorOf(status));
    if (!isUnknown || waitedMs >= FIND_MS) return status;
    await wait(Math.min(waitMs, FIND_MS - waitedMs));
    waitedMs += waitMs;
  }
}

async function mountInGuest(connection: Connection, vm: string, name: string, at: string): Promise<void> {
  const path = actionPath(connection, 'virtualmachineinstances', vm, 'exec');
  const words = (why: string): string => `${name} is shared with VM ${vm}, but cannot be mounted at ${at}: ${why}`;
  const body = { command: ['sh', '-c', SCRIPT, 'sh', name, at] };
  const run = () => askGuest(connection, words, () => connection.client.call({ method: 'PUT', path, body }));
  const status = await untilFound(run as () => Promise<ExecStatus>);
  if (status.exited && status.exitCode === 0) return;
  const said = errorOf(status);
  throw new Failure(
    words(said || 'the guest does not respond'),
    `To mount it later, in the guest: mount -t virtiofs ${name} ${at}. To take it away: ${programName} umount ${vm} ${name}`,
  );
}
