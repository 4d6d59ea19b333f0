import { useCallback } from 'react';
import { Refused } from '../../data/refused.ts';
import type { Change } from '../../decisions/disks/changes.ts';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { useTasks } from '../tasks/tasks.tsx';

interface Words {
  /** Verb and object, for the list of tasks. */
  readonly title: string;
  /** Said when the server has taken it. */
  readonly done: string;
  readonly href: string;
}

/** Sends changes of disks and cards, shows them as tasks and tells of success; a refusal is left to the caller. */
export function useChange(): (change: Change, words: Words) => Promise<void> {
  const { api, rights } = useSession().session;
  const notify = useNotify();
  const { run } = useTasks();
  return useCallback(
    async (change, { title, done, href }) => {
      try {
        await run(title, () => send(api, change), { href, canRetry: false });
      } catch (error) {
        if (error instanceof Refused && error.code === 403) rights.forget();
        throw error;
      }
      notify(done);
    },
    [api, rights, notify, run],
  );
}

const send = (api: ReturnType<typeof useSession>['session']['api'], change: Change): Promise<unknown> =>
  change.method === 'PUT'
    ? api.request(change.method, change.path, change.body)
    : api.patch(change.path, change.operations);
