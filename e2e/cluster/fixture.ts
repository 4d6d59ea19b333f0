import { vi } from 'vitest';
import type { Kubectl } from '../kubectl.ts';
import { openConsole } from '../vms/console.ts';

/** A Kubernetes with all roles of Vireo on it, each in processes of its own. The cases in `cases/` run on any. */
export interface ClusterFixture {
  /** An administrator's. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** Of Kubernetes, the number after `1.`: what a server lacks is skipped. */
  readonly minor: number;
  /** What commands need that connect to an extension's own port, whose certificate is for its Service; default: nothing. */
  readonly directOptions?: string;
  /** Where tests can put files. */
  readonly directory: string;
  /** Runs `vireo …` as an administrator would type it, and gives what it printed; with the exit code where it is not 0. */
  vireo(command: string): Promise<string>;
  /** Kills the leading controllers outright, and starts others in their place. */
  killLeader(): Promise<void>;
  /** Kills one extension outright, and starts another in its place. */
  killExtension(): Promise<void>;
}

/** The fixture of a file's tests, once they run. */
export type UseCluster = () => ClusterFixture;

/** How long one change of a VM may take on a busy host that has just lost its controllers. */
const CHANGE_MS = 120_000;
export const TIMEOUT = `--timeout=${CHANGE_MS / 1000}s`;

/** What the cases of VMs do with a cluster. */
export interface Steps {
  /** Applies manifests. */
  create(...manifests: string[]): Promise<void>;
  untilStatus(name: string, status: string): Promise<void>;
  /** Runs a command of `vireo`, and fails if that fails. */
  run(command: string): Promise<string>;
  /**
   * Runs a command of `vireo` and kills the leading controllers and one extension meanwhile. A command that fails of it
   * is repeated, as a user would, until it succeeds or is refused because it was `done` before.
   */
  amidKills(command: string, done?: RegExp): Promise<string>;
  /** Tries something again, as a user would, that may have asked an extension which has just died. */
  retried<T>(attempt: () => Promise<T>): Promise<T>;
  /** Types on the console of a VM, until it shows something. */
  type(name: string, keys: string, wanted: RegExp): Promise<void>;
}

/** The steps on the cluster of a file's tests. */
export function stepsOn(cluster: UseCluster): Steps {
  const run = async (command: string): Promise<string> => {
    const output = await cluster().vireo(command);
    if (/\nexit code \d+$|^exit code/.test(output)) throw new Error(`vireo ${command}: ${output}`);
    return output;
  };
  const retried = <T>(attempt: () => Promise<T>): Promise<T> =>
    vi.waitFor(attempt, { timeout: CHANGE_MS, interval: 1000 });
  return {
    run,
    retried,
    create: async (...manifests) => {
      await vi.waitFor(() => cluster().kubectl.do('apply -f -', { input: manifests.join('\n') }), {
        timeout: CHANGE_MS,
        interval: 1000,
      });
    },
    untilStatus: (name, status) =>
      cluster().kubectl.do(`wait vm/${name} --for=jsonpath={.status.printableStatus}=${status} ${TIMEOUT}`),
    async amidKills(command, done) {
      const attempt = async (): Promise<string> => {
        try {
          return await run(command);
        } catch (error) {
          if (done?.test((error as Error).message)) return (error as Error).message;
          throw error;
        }
      };
      const first = attempt().catch((error: unknown) => error as Error);
      await Promise.all([cluster().killLeader(), cluster().killExtension()]);
      const result = await first;
      if (!(result instanceof Error)) return result;
      return retried(attempt);
    },
    async type(name, keys, wanted) {
      const console = await openConsole(cluster().kubeconfig, name);
      try {
        console.type(keys);
        await console.until(wanted);
      } finally {
        await console.close();
      }
    },
  };
}
