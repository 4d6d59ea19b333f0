import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPlugins, PLUGIN_LIST, type PluginReport } from '../plugins/index.ts';

/**
 * Loads the package of a hypervisor as a server would, from a list in a home of its own. Throws what is wrong with it.
 *
 * @example
 * await loadForTest('/directory/of/the/package');
 * hypervisorContract('sample');
 */
export async function loadForTest(directory: string): Promise<PluginReport> {
  const home = await mkdtemp(join(tmpdir(), 'vireo-plugin-'));
  try {
    await writeFile(join(home, PLUGIN_LIST), JSON.stringify({ plugins: [directory] }), { mode: 0o600 });
    const [report] = await loadPlugins(home);
    if (!report || report.problem !== undefined) throw new Error(`${directory}: ${report?.problem ?? 'is not loaded'}`);
    return report;
  } finally {
    await rm(home, { recursive: true });
  }
}
