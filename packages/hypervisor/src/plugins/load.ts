import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLUGIN_API_VERSION, type Plugin, type Registrations, startRegistrations } from './api.ts';
import { PluginProblem, readPluginList, refuseWritableByOthers } from './list.ts';
import { tryOut } from './tryOut.ts';

/** What became of one package. */
export interface PluginReport {
  /** As the list names it. */
  readonly plugin: string;
  readonly version?: string;
  /** Names of the hypervisors that it brought. */
  readonly hypervisors: readonly string[];
  /** Why it was not taken; nothing of it is registered then. */
  readonly problem?: string;
}

export interface LoadOptions {
  /** How long a package may take. */
  readonly timeoutMs?: number;
}

const PATIENCE_MS = 10_000;

/**
 * Loads the packages that a home lists, one after the other. What is wrong with one of them is in its report: neither
 * the others nor the server suffer from it.
 */
export async function loadPlugins(home: string, options: LoadOptions = {}): Promise<PluginReport[]> {
  let plugins: string[];
  try {
    plugins = await readPluginList(home);
  } catch (error) {
    return [{ plugin: 'hypervisors.json', hypervisors: [], problem: reasonOf(error) }];
  }
  const reports: PluginReport[] = [];
  for (const plugin of plugins) reports.push(await loadPlugin(plugin, home, options));
  return reports;
}

async function loadPlugin(
  plugin: string,
  home: string,
  { timeoutMs = PATIENCE_MS }: LoadOptions,
): Promise<PluginReport> {
  const registrations = startRegistrations();
  let version: string | undefined;
  try {
    const found = await findPackage(plugin, home);
    version = found.version;
    await within(timeoutMs, register(found.entry, registrations));
    registrations.close();
    if (registrations.hypervisors.length === 0) throw new PluginProblem('registers no hypervisor');
    for (const name of registrations.hypervisors) tryOut(name);
    return { plugin, version, hypervisors: [...registrations.hypervisors] };
  } catch (error) {
    registrations.undo();
    return { plugin, ...(version && { version }), hypervisors: [], problem: reasonOf(error) };
  }
}

interface FoundPackage {
  readonly entry: string;
  readonly version?: string;
}

/** A directory by its path, or a package below the home's node_modules. */
async function findPackage(plugin: string, home: string): Promise<FoundPackage> {
  const directory = isAbsolute(plugin) ? plugin : join(home, 'node_modules', plugin);
  if (!isAbsolute(plugin) && !/^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(plugin)) {
    throw new PluginProblem('is neither the name of a package nor an absolute path');
  }
  const description = join(directory, 'package.json');
  let text: string;
  try {
    text = await readFile(description, 'utf8');
  } catch {
    throw new PluginProblem(`there is no ${description}; install the package: npm install --prefix ${home} ${plugin}`);
  }
  const { version, exports, main } = JSON.parse(text) as Description;
  const entry = join(directory, entryOf(exports) ?? main ?? 'index.js');
  for (const path of [dirname(entry), entry]) await refuseWritableByOthers(path);
  return { entry, ...(typeof version === 'string' && { version }) };
}

interface Description {
  readonly version?: unknown;
  readonly main?: string;
  readonly exports?: unknown;
}

/** The file that `import` of a package means: its only export, or that of `.` for modules. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const by = exports as Record<string, unknown>;
  return entryOf(by['.'] ?? by.node ?? by.import ?? by.default);
}

async function register(entry: string, registrations: Registrations): Promise<void> {
  const module = (await import(pathToFileURL(entry).href)) as { default?: Partial<Plugin> };
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null || typeof plugin.register !== 'function') {
    throw new PluginProblem('its default export must be { apiVersion, register(api) }');
  }
  if (plugin.apiVersion !== PLUGIN_API_VERSION) {
    throw new PluginProblem(
      `is written for version ${plugin.apiVersion} of the plug-in API; this is version ${PLUGIN_API_VERSION}`,
    );
  }
  await plugin.register(registrations.api);
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PluginProblem(`took more than ${timeoutMs} ms to load`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
