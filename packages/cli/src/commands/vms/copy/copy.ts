import { stat } from 'node:fs/promises';
import { isConditionTrue } from '@vireo/api';
import { Failure, fileProblem } from '../../../failure.ts';
import { connected } from '../connection.ts';
import { noWayIn } from '../exec/agentRefusal.ts';
import { findVm } from '../findVm.ts';
import { requireRunning } from '../requireRunning.ts';
import { answersSsh, type GuestSshOptions, guestSsh } from '../ssh/guestSsh.ts';
import { runClient } from '../ssh/localClient.ts';
import { downloadByAgent, uploadByAgent } from './byAgent.ts';
import { type Copy, parseCopy } from './parseCopy.ts';

export interface CopyOptions extends GuestSshOptions {
  readonly recursive?: boolean;
  readonly via?: 'agent' | 'ssh';
}

/** Copies between this host and a guest: by scp where ssh works, else by the guest's agent. */
export async function copy(from: string, to: string, options: CopyOptions): Promise<void> {
  const asked = parseCopy(from, to);
  if (asked.direction === 'upload') await requireReadable(asked, options);
  const scp = await connected(options, async (connection) => {
    const pair = await findVm(connection, asked.vm);
    const vmi = requireRunning(pair);
    const ssh = await guestSsh(connection, pair, { ...options, ...(asked.user && { username: asked.user }) });
    const mayUseSsh = options.via === 'ssh' || (options.via === undefined && ssh.hasKey);
    if (mayUseSsh && (await answersSsh(connection, pair))) return ssh;
    const { namespace } = connection;
    if (options.via === 'ssh') throw noWayIn(asked.vm, namespace, undefined, ssh.hasKey);
    if (!isConditionTrue(vmi, 'AgentConnected'))
      throw noWayIn(asked.vm, namespace, 'its guest agent is not connected', ssh.hasKey);
    if (options.recursive)
      throw new Failure(
        `copying a directory needs ssh, but ${ssh.hasKey ? `ssh in VM ${asked.vm} does not respond` : `VM ${asked.vm} does not accept any ssh key of this host`}`,
        'The guest agent can copy only files: create an archive of the directory and copy that.',
      );
    await (asked.direction === 'upload' ? uploadByAgent(connection, asked) : downloadByAgent(connection, asked));
    return undefined;
  });
  if (!scp) return;
  const local = asked.local.startsWith('-') || asked.local.includes(':') ? `./${asked.local}` : asked.local;
  const remote = `${scp.host}:${asked.remote}`;
  await runClient('scp', [
    ...scp.args,
    '-q',
    ...(options.recursive ? ['-r'] : []),
    '--',
    ...(asked.direction === 'upload'
      ? [absoluteOr(asked.local, local), remote]
      : [remote, absoluteOr(asked.local, local)]),
  ]);
}

const absoluteOr = (path: string, safe: string): string => (path.startsWith('/') ? path : safe);

async function requireReadable({ local }: Copy, { recursive }: CopyOptions): Promise<void> {
  const found = await stat(local).catch((error: Error) => {
    throw new Failure(`${local} cannot be read: ${fileProblem(error)}`);
  });
  if (found.isDirectory() && !recursive)
    throw new Failure(`${local} is a directory`, 'To copy it with its contents: --recursive');
}
