import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What takes longer than this waits for somebody else. */
const NOTIFY_AFTER_MS = 1_000;

/**
 * Runs `work` while no other process of this host does so with the same lock file. The kernel holds the lock for a
 * child that ends with us, so that nobody's death leaves it locked. `onWait` is called when another process has it.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, onWait = (): void => {}): Promise<T> {
  const holder = spawn('flock', [path, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'close');
  // A holder that fails at once has no ears any more; its exit code tells why.
  holder.stdin.on('error', () => {}).write('held\n');
  const waiting = setTimeout(onWait, NOTIFY_AFTER_MS);
  const [event] = await Promise.race([once(holder.stdout, 'data'), ended]).finally(() => clearTimeout(waiting));
  if (!Buffer.isBuffer(event)) throw new Error(`the lock ${path} cannot be acquired: flock exited with code ${event}`);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
