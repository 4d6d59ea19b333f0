import { lineWith, spawnVireo } from '../vireo.ts';

/** A `vireo dashboard` in a process of its own. */
export interface OpenDashboard {
  /** What it printed, to be opened. */
  readonly address: string;
  stop(): Promise<void>;
}

export async function openDashboard(kubeconfig: string, ...options: readonly string[]): Promise<OpenDashboard> {
  const { child, output, ended } = spawnVireo(['dashboard', '--no-open', '--kubeconfig', kubeconfig, ...options]);
  const ready = await Promise.race([lineWith(child, output, /http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=\S+/), ended]);
  if (!Array.isArray(ready)) throw new Error(`vireo dashboard ended with code ${ready.code}:\n${ready.output}`);
  return {
    address: ready[0],
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
