import { join } from 'node:path';
import { finish, isRestoreUnfinished } from './commands/backup/journal.ts';
import { explainStartError } from './startError.ts';

/** Completes a restore of a home that was cut short, or forgets one that had not come far enough. */
export async function finishRestore(home: string): Promise<void> {
  if (!isRestoreUnfinished(home)) return;
  const { lockStore } = await import('@vireo/apiserver/store/lock.ts');
  try {
    const lock = lockStore(join(home, 'store.db'));
    try {
      const outcome = finish(home);
      console.log(
        outcome === 'finished'
          ? 'Finished a restore that was interrupted.'
          : 'Dropped a restore that was interrupted before it had changed anything.',
      );
    } finally {
      lock.release();
    }
  } catch (error) {
    throw explainStartError(error, { home, port: 0 });
  }
}
