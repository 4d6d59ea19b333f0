import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from './files.ts';

/** Name of the file of a home that lists the packages to load. */
export const PLUGIN_LIST = 'hypervisors.json';

/** A reason that a person can act on. */
export class PluginProblem extends Error {}

/** The packages that a home lists; none where it has no list. Whoever may write the list runs code as this user. */
export async function readPluginList(home: string): Promise<string[]> {
  const file = join(home, PLUGIN_LIST);
  let text: string;
  try {
    const problem = fileProblem(file);
    if (problem) throw new PluginProblem(problem);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return parsePluginList(text, file);
}

function parsePluginList(text: string, file: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PluginProblem(`${file} is not valid JSON: ${(error as Error).message}`);
  }
  const plugins = typeof value === 'object' && value !== null && 'plugins' in value ? value.plugins : undefined;
  if (!Array.isArray(plugins) || !plugins.every((name) => typeof name === 'string' && name !== '')) {
    throw new PluginProblem(`${file} must look like {"plugins": ["package-name", "/directory/of/a/package"]}`);
  }
  return [...new Set<string>(plugins)];
}
