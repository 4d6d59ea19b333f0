import { useCallback } from 'react';
import { deleteExactly } from '../../data/deleteExactly.ts';
import { Refused } from '../../data/refused.ts';
import type { Machine } from '../../decisions/machine.ts';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { useTasks } from '../tasks/tasks.tsx';

interface Objects {
  readonly create: (object: { path: string; body: object }, title: string, done: string) => Promise<void>;
  readonly remove: (object: { path: string; uid: string | undefined }, title: string, done: string) => Promise<void>;
}

/** Creates and deletes objects for a machine's snapshots, shows that as tasks and tells of success. */
export function useObjects({ namespace, name }: Machine): Objects {
  const { api, rights } = useSession().session;
  const notify = useNotify();
  const { run } = useTasks();
  const href = `/machines/${namespace}/${name}/snapshots`;
  const act = useCallback(
    async (title: string, done: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await run(title, work, { href, canRetry: false });
      } catch (error) {
        if (error instanceof Refused && error.code === 403) rights.forget();
        throw error;
      }
      notify(done);
    },
    [run, notify, rights, href],
  );
  return {
    create: ({ path, body }, title, done) => act(title, done, () => api.request('POST', path, body)),
    remove: ({ path, uid }, title, done) => act(title, done, () => deleteExactly(api, path, uid)),
  };
}
