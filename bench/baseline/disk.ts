import { closeSync, fdatasyncSync, openSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import type { Done } from '../load/requests.ts';
import { serveTasks } from '../processes.ts';

const RECORD = Buffer.alloc(2048, 'x');

/** What the disk itself can do: each record is appended, and one fdatasync serves all writers that wait. */
const tasks = {
  append: ({ directory, writers, seconds }: { directory: string; writers: number; seconds: number }): Done => {
    const file = openSync(join(directory, 'append.log'), 'a');
    // All writers wait for the same fdatasync and come back together.
    const batch = Array.from({ length: writers }, () => RECORD);
    const startedAt = performance.now();
    let count = 0;
    while (performance.now() - startedAt < seconds * 1000) {
      writevSync(file, batch);
      fdatasyncSync(file);
      count += writers;
    }
    closeSync(file);
    return { count, seconds: (performance.now() - startedAt) / 1000 };
  },
};

export type DiskTasks = typeof tasks;

serveTasks(tasks);
