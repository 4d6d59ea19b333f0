import { createContext, type ReactNode, use, useState, useSyncExternalStore } from 'react';
import { type Task, TaskStore } from './store.ts';

const Context = createContext<TaskStore>(new TaskStore());

/** One list of tasks for the whole page; it ends with the session. */
export function TasksProvider({ children }: { readonly children: ReactNode }) {
  const [store] = useState(() => new TaskStore());
  return <Context value={store}>{children}</Context>;
}

/**
 * Where work that the user asked for is run, so that it shows in the drawer with its result.
 *
 *     const { run } = useTasks();
 *     await run(`Create ${name}`, () => api.request('POST', path, vm), { href: `/machines/${namespace}/${name}` });
 */
export const useTasks = (): Pick<TaskStore, 'run' | 'retry' | 'clearEnded'> => use(Context);

export function useTaskList(): readonly Task[] {
  const store = use(Context);
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
