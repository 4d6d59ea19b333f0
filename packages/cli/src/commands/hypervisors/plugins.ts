import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';

/** What is told of one package, by the list of the home and by the server that runs on it. */
export interface PluginLine {
  readonly plugin: string;
  readonly hypervisors: readonly string[];
  /** Whether the list names it now. */
  readonly listed: boolean;
  /** Whether the running server has it; missing where none runs. */
  readonly loaded?: boolean;
  /** Why it is not used, or why list and server differ. */
  readonly reason?: string;
}

const RESTART = 'restart the server';

/** Compares what a start would load now with what the running server has loaded; `server` is missing where none runs. */
export function pluginLines(list: readonly PluginReport[], server: readonly PluginReport[] | undefined): PluginLine[] {
  const inServer = new Map(server?.map((report) => [report.plugin, report]));
  const lines = list.map(({ plugin, hypervisors, problem }): PluginLine => {
    const line = { plugin, hypervisors, listed: true };
    if (!server) return { ...line, ...(problem !== undefined && { reason: problem }) };
    const there = inServer.get(plugin);
    const loaded = there !== undefined && there.problem === undefined;
    const reason = reasonOf(problem, there);
    return { ...line, loaded, ...(reason !== undefined && { reason }) };
  });
  const named = new Set(list.map(({ plugin }) => plugin));
  const gone = (server ?? [])
    .filter(({ plugin, problem }) => !named.has(plugin) && problem === undefined)
    .map(
      ({ plugin, hypervisors }): PluginLine => ({
        plugin,
        hypervisors,
        listed: false,
        loaded: true,
        reason: `it is no longer in the list; the server keeps it until it stops`,
      }),
    );
  return [...lines, ...gone];
}

function reasonOf(problem: string | undefined, there: PluginReport | undefined): string | undefined {
  if (!there) return problem ?? `it was not in the list when the server started: ${RESTART}`;
  if (there.problem !== undefined)
    return problem ?? `it failed to load when the server started (${there.problem}), but would load now: ${RESTART}`;
  return problem === undefined ? undefined : `it is loaded, but would not load after a restart: ${problem}`;
}
