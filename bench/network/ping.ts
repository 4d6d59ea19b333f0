import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const INTERVAL_SECONDS = 0.05;

/** Resolves when an address answers a ping of this host. */
export async function firstReply(address: string, signal: AbortSignal): Promise<void> {
  const child: ChildProcess = spawn('ping', ['-n', '-i', String(INTERVAL_SECONDS), address], {
    // What it says as long as there is no way to the guest.
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const answered = (async () => {
    for await (const line of createInterface({ input: child.stdout! })) if (/bytes from/.test(line)) return;
    throw new Error(`ping ${address} ended without a reply`);
  })();
  try {
    await Promise.race([answered, failed]);
  } finally {
    failed.catch(() => {});
    child.kill('SIGKILL');
  }
}
