import { serveTasks } from '../processes.ts';
import { send, serve } from './transfers.ts';

/**
 * The other side of transfers, in a process of its own: a mirror that disks are downloaded from, and a client that
 * uploads them. It costs as little as Node allows; a mirror that sends from its kernel's cache costs less still.
 */
const tasks = { serve, send };

export type PeerTasks = typeof tasks;

serveTasks(tasks);
