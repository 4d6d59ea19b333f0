import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs `work` while no other process of this machine does so with the same lock file. The kernel holds the lock for a
 * child that ends with us, so that nobody's death leaves it locked.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', [path, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'close');
  // A holder that fails at once has no ears any more; its exit code tells why.
  holder.stdin.on('error', () => {}).write('held\n');
  const [event] = await Promise.race([once(holder.stdout, 'data'), ended]);
  if (!Buffer.isBuffer(event)) throw new Error(`the lock ${path} cannot be taken: flock ended with code ${event}`);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
