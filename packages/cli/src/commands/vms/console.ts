import { ApiError } from '@vireo/api';
import { type Clock, pause, systemClock } from '@vireo/kube';
import type { WebSocket } from 'ws';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { openStream } from './http1.ts';
import { orFail } from './refusal.ts';
import { copyTerminal, type StreamEnd } from './terminal.ts';

/** Connects the terminal, or what stands in for it in a script, to a guest's serial console. */
export function serialConsole(name: string, options: ConnectionOptions & { readonly timeout: number }): Promise<void> {
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, 'console');
    const socket = await orFail(
      connection,
      (why) => why,
      () => whenReady(() => openStream(connection.target, path), options.timeout * 60_000),
    );
    console.error(`Successfully connected to ${name} console. Press Ctrl+] or Ctrl+5 to exit console.`);
    const end = await copyTerminal(socket, process.stdin, process.stdout);
    const failure = describeEnd(end);
    if (failure) throw failure;
  });
}

const RETRY_MS = 1_000;

/** Tries until it is taken: a guest that is not up yet is refused with 400. Anything else is final. */
export async function whenReady(
  open: () => Promise<WebSocket>,
  timeoutMs: number,
  clock: Clock = systemClock,
): Promise<WebSocket> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 400) throw error;
      if (clock.now() + RETRY_MS > deadline) {
        throw new Failure(
          'Timeout trying to connect to the virtual machine instance',
          `Last error: ${error.message}. To wait longer: --timeout MINUTES.`,
          { exitCode: TIMED_OUT },
        );
      }
    }
    await pause(RETRY_MS, new AbortController().signal, clock);
  }
}

/** Why a console ended, if not as it should. */
export function describeEnd(end: StreamEnd): Failure | undefined {
  if (end.by === 'user' || end.code === 1000 || end.code === 1005) return undefined;
  if (end.code === 1006) {
    return new Failure(
      'You were disconnected from the console. This could be caused by one of the following:\n' +
        ' - the target VM was powered off\n' +
        ' - another user connected to the console of the target VM\n' +
        ' - network issues',
    );
  }
  return new Failure(`websocket: close ${end.code}${end.reason && `: ${end.reason}`}`, 'Connect again to continue.');
}
