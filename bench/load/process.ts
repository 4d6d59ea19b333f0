import { serveTasks } from '../processes.ts';
import { creates, gets, list, patches } from './requests.ts';
import { type BurstInput, type LatencyInput, Watchers, type WatchInput } from './watchers.ts';

let watchers: Watchers | undefined;

const tasks = {
  creates,
  gets,
  list,
  patches,
  watch: async (input: WatchInput): Promise<void> => {
    watchers = await Watchers.open(input);
  },
  latency: (input: LatencyInput) => watchers!.latency(input),
  burst: (input: BurstInput) => watchers!.burst(input),
  unwatch: (_: null): void => watchers!.close(),
};

/** What a load generator can be asked to do. */
export type LoadTasks = typeof tasks;

serveTasks(tasks);
