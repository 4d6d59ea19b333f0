import { serveTasks } from '../processes.ts';

/** The server without the command around it: how long its code takes to load, and how long it takes to be ready then. */
const tasks = {
  start: async ({ home }: { home: string }): Promise<{ loadMs: number; readyMs: number }> => {
    const startedAt = performance.now();
    const { startServer } = await import('@vireo/apiserver');
    const loadedAt = performance.now();
    const server = await startServer({ home, port: 0, host: '127.0.0.1' });
    const readyAt = performance.now();
    await server.close();
    return { loadMs: loadedAt - startedAt, readyMs: readyAt - loadedAt };
  },
};

export type InProcessTasks = typeof tasks;

serveTasks(tasks);
