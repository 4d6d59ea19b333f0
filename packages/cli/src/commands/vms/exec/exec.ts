import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isConditionTrue } from '@vireo/api';
import type { ExecStatus } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import { pause } from '@vireo/kube';
import { Failure, TIMED_OUT } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { shellWord } from '../../readyText.ts';
import { actionPath, type Connection, connected } from '../connection.ts';
import { findVm } from '../findVm.ts';
import { reasonOf } from '../refusal.ts';
import { requireRunning } from '../requireRunning.ts';
import { answersSsh, type GuestSshOptions, guestSsh } from '../ssh/guestSsh.ts';
import { runClient } from '../ssh/localClient.ts';
import type { VmOrVmi } from '../vmSummary.ts';
import { askGuest, isRefusedByAgent, noWayIn } from './agentRefusal.ts';

export interface ExecCommandOptions extends GuestSshOptions {
  readonly env?: readonly string[];
  /** Seconds; undefined: as long as it takes. */
  readonly timeout?: number;
  readonly via?: 'agent' | 'ssh';
  readonly stdin: boolean;
}

/** Runs a command in a guest; the exit code of this program is the command's. */
export async function exec(name: string, words: readonly string[], options: ExecCommandOptions): Promise<void> {
  // The agent would replace the whole environment; env of the guest adds to it.
  const command = options.env ? ['env', ...options.env, ...words] : words;
  const deadline = options.timeout === undefined ? undefined : Date.now() + options.timeout * 1_000;
  const { ssh, input } = await connected(options, async (connection) => {
    const pair = await findVm(connection, name);
    const hasAgent = isConditionTrue(requireRunning(pair), 'AgentConnected');
    if (options.via === 'ssh' || !(hasAgent || options.via === 'agent'))
      return { ssh: await sshOrFail(connection, pair, options, 'its guest agent is not connected') };
    const piped = await readInput(connection, name, options);
    const refused = await execByAgent(connection, name, command, piped, { ...options, deadline });
    if (refused && options.via === 'agent') throw refused;
    if (refused) return { ssh: await sshOrFail(connection, pair, options, refused.message), input: piped };
    return {};
  });
  if (!ssh) return;
  await runClient(
    'ssh',
    [...ssh.args, ...(options.stdin ? [] : ['-n']), '--', ssh.host, command.map(shellWord).join(' ')],
    {
      ...(input && { input }),
      ...(options.timeout !== undefined && { timeoutSeconds: options.timeout }),
    },
  );
}

/** The way by ssh, where a key opens it. `why`: the agent cannot. */
async function sshOrFail(connection: Connection, pair: VmOrVmi, options: ExecCommandOptions, why: string) {
  const ssh = await guestSsh(connection, pair, options);
  if ((ssh.hasKey || options.via === 'ssh') && (await answersSsh(connection, pair))) return ssh;
  const { name, namespace } = (pair.vm ?? pair.vmi).metadata;
  throw noWayIn(name, namespace ?? '', options.via === 'ssh' ? undefined : why, ssh.hasKey);
}

/** Standard input goes to the agent in one message; one of several hundred kilobytes stalls it. */
const LARGEST_INPUT_BYTES = 64 << 10;

/** How long the server waits for a command before it answers that it still runs. */
const MAX_WAIT_SECONDS = 20;
/** How often a server that may not wait is asked. */
const POLL_MS = 200;

/** What is piped in. */
async function readInput(
  { namespace }: Connection,
  name: string,
  { stdin, timeout }: ExecCommandOptions,
): Promise<Buffer> {
  if (!stdin || !isPiped()) return Buffer.alloc(0);
  const input = await readAtMost(process.stdin, LARGEST_INPUT_BYTES, timeout);
  if (input) return input;
  throw new Failure(
    `standard input is larger than ${LARGEST_INPUT_BYTES >> 10} KiB, the limit of the guest agent`,
    `Copy it first: ${programName} copy FILE ${name}:/tmp/FILE -n ${namespace}`,
  );
}

/** What a stream has; undefined where it is more than `bytes`, and the rest is left unread. */
export async function readAtMost(stream: Readable, bytes: number, seconds?: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  const isLate = (): void => {
    const message = `standard input did not end within ${seconds} s`;
    stream.destroy(new Failure(message, 'To run the command without it: --no-stdin', { exitCode: TIMED_OUT }));
  };
  const timer = seconds === undefined ? undefined : setTimeout(isLate, seconds * 1_000);
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > bytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
  }
}

/** How long one request may wait for a command: less than the request itself may take. */
export function waitSeconds(requestTimeoutMs: number | undefined, deadline: number | undefined, now: number): number {
  const perRequest = requestTimeoutMs === undefined ? MAX_WAIT_SECONDS : Math.floor(requestTimeoutMs / 2_000);
  const left = deadline === undefined ? MAX_WAIT_SECONDS : Math.ceil((deadline - now) / 1_000);
  return Math.max(0, Math.min(MAX_WAIT_SECONDS, perRequest, left));
}

/** Returns why the agent may not run commands, where it says so. */
async function execByAgent(
  connection: Connection,
  name: string,
  command: readonly string[],
  input: Buffer,
  options: ExecCommandOptions & { readonly deadline: number | undefined },
): Promise<Failure | undefined> {
  const path = actionPath(connection, 'virtualmachineinstances', name, 'exec');
  const { deadline, timeout, requestTimeout } = options;
  const body = { command, ...(input.length > 0 && { stdin: input.toString('base64') }) };
  const howLong = (): number => waitSeconds(requestTimeout, deadline, Date.now());
  const run = async (): Promise<undefined> => {
    const { client } = connection;
    let status = (await client.call({
      method: 'PUT',
      path,
      body: { ...body, waitSeconds: howLong() },
    })) as ExecStatus;
    while (!status.exited) {
      if (deadline !== undefined && Date.now() >= deadline)
        throw tookTooLong(connection, name, status.pid, timeout ?? 0);
      const query = { waitSeconds: howLong() };
      if (query.waitSeconds === 0) await pause(POLL_MS, new AbortController().signal);
      status = (await client.call({ method: 'GET', path: `${path}/${status.pid}`, query })) as ExecStatus;
    }
    await report(status);
  };
  try {
    return await run();
  } catch (error) {
    if (isRefusedByAgent(error, 'AgentCommandDisabled')) return new Failure(reasonOf(error));
    if (isRefusedByAgent(error, 'AgentCommandFailed'))
      throw new Failure(reasonOf(error), undefined, { cause: error, exitCode: NOT_STARTED });
    return askGuest(
      connection,
      (why) => why,
      () => Promise.reject(error),
    );
  }
}

/** As shells say that there is no such program. */
const NOT_STARTED = 127;
const SIGNALLED = 128;

const tookTooLong = ({ namespace }: Connection, name: string, pid: number, seconds: number): Failure =>
  new Failure(
    `the command is still running in ${name} after ${seconds} s`,
    `It keeps running as PID ${pid}. To end it: ${programName} exec ${name} -n ${namespace} -- kill ${pid}`,
    { exitCode: TIMED_OUT },
  );

async function report(status: ExecStatus): Promise<void> {
  await write(process.stdout, status.stdout);
  await write(process.stderr, status.stderr);
  for (const [stream, isCut] of [
    ['output', status.stdoutTruncated],
    ['error', status.stderrTruncated],
  ] as const)
    if (isCut) console.error(`Warning: standard ${stream} was truncated: the guest agent keeps at most 16 MiB`);
  process.exitCode = status.signal === undefined ? (status.exitCode ?? 0) : SIGNALLED + status.signal;
}

const write = (stream: NodeJS.WriteStream, base64 = ''): Promise<void> =>
  new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write(Buffer.from(base64, 'base64'), () => resolve());
  });

/** Whether somebody sends something: a pipe, a socket or a file, but neither a terminal nor /dev/null. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(process.stdin.fd);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}
