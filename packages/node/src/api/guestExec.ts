import { ApiError } from '@vireo/api';
import type { ExecOptions, ExecStatus } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import { pause } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import type { ActionInput, Active } from './actions.ts';
import { askAgent } from './guestCommand.ts';

const KIND = { apiVersion: 'subresources.kubevirt.io/v1', kind: 'ExecStatus' };

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [20, 1_000];

type Context = Pick<NodeContext, 'libvirt' | 'clock'>;

/** Starts a command in the guest and waits for it. */
export async function startCommand(
  local: Active,
  context: Context,
  { body, signal }: ActionInput,
): Promise<ExecStatus> {
  const { command, stdin, waitSeconds = 0 } = body as ExecOptions;
  const [path, ...arg] = command;
  const started = await askAgent(local, context, 'guest-exec', {
    path,
    arg,
    ...(stdin && { 'input-data': stdin }),
    'capture-output': true,
  });
  const pid = Number(started.pid);
  return waitForCommand(local, context, { pid, waitSeconds, signal }).catch((error: unknown) => {
    // Without its PID nobody could ask for the command again.
    if (error instanceof ApiError && error.reason === 'Conflict') return execStatus(pid, {});
    throw error;
  });
}

/** Waits for a command that was started earlier. */
export const commandStatus = (local: Active, context: Context, { query, signal }: ActionInput): Promise<ExecStatus> =>
  waitForCommand(local, context, {
    pid: Number(query.get('pid')),
    waitSeconds: Number(query.get('waitSeconds')),
    signal,
  });

interface AwaitedCommand {
  readonly pid: number;
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
}

/** Asks often at first, for most commands are short. */
async function waitForCommand(
  local: Active,
  context: Context,
  { pid, waitSeconds, signal }: AwaitedCommand,
): Promise<ExecStatus> {
  const { clock } = context;
  const deadline = clock.now() + waitSeconds * 1_000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const status = await askAgent(local, context, 'guest-exec-status', { pid });
    if (status.exited || clock.now() + pauseMs > deadline) return execStatus(pid, status);
    await pause(pauseMs, signal, clock);
    // The agent hands out the output once: it is for whoever asks next.
    signal.throwIfAborted();
  }
}

/** The agent's answer in the words of the API. */
export function execStatus(pid: number, status: Readonly<Record<string, unknown>>): ExecStatus {
  const { exited = false, exitcode, signal } = status;
  return {
    ...KIND,
    pid,
    exited: Boolean(exited),
    ...(exitcode !== undefined && { exitCode: Number(exitcode) }),
    ...(signal !== undefined && { signal: Number(signal) }),
    ...(exited ? { stdout: String(status['out-data'] ?? ''), stderr: String(status['err-data'] ?? '') } : {}),
    ...(status['out-truncated'] ? { stdoutTruncated: true } : {}),
    ...(status['err-truncated'] ? { stderrTruncated: true } : {}),
  };
}
