import type { LoadTasks } from './load/process.ts';
import { startTasks, type TaskProcess } from './processes.ts';

/** A client under a benchmark's command, in a process of its own. */
export type Load = TaskProcess<LoadTasks>;

export const startLoad = (): Load => startTasks<LoadTasks>(new URL('./load/process.ts', import.meta.url));
