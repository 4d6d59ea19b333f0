import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { treeProblem } from './files.ts';
import { PluginProblem, readPluginList } from './list.ts';
import { type Registrations, registerAll } from './register.ts';
import { PluginThread } from './thread.ts';
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

/** Those that were not taken, and why. */
export const problemsOf = (reports: readonly PluginReport[]): { plugin: string; problem: string }[] =>
  reports.flatMap(({ plugin, problem }) => (problem === undefined ? [] : [{ plugin, problem }]));

export interface LoadOptions {
  /** How long a package may take. */
  readonly timeoutMs?: number;
  /** How long a function of it may take to answer. */
  readonly hookTimeoutMs?: number;
}

const LOAD_MS = 10_000;
/** Whoever asks does nothing else meanwhile. */
const HOOK_MS = 1_000;
const IDLE_MS = 60_000;

/**
 * Loads the packages that a home lists, one after the other, each in a thread of its own that ends when it has been tried
 * out. What is wrong with one of them is in its report: neither the others nor the server suffer from it.
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

async function loadPlugin(plugin: string, home: string, options: LoadOptions): Promise<PluginReport> {
  const { timeoutMs = LOAD_MS, hookTimeoutMs = HOOK_MS } = options;
  let registrations: Registrations | undefined;
  let version: string | undefined;
  let thread: PluginThread | undefined;
  try {
    const found = await findPackage(plugin, home);
    version = found.version;
    thread = new PluginThread(plugin, found.entry, { timeoutMs, hookTimeoutMs, idleMs: IDLE_MS });
    registrations = registerAll(plugin, await thread.load(), thread);
    if (registrations.hypervisors.length === 0) throw new PluginProblem('does not register a hypervisor');
    for (const name of registrations.hypervisors) tryOut(name);
    return { plugin, ...(version && { version }), hypervisors: [...registrations.hypervisors] };
  } catch (error) {
    registrations?.undo();
    return { plugin, ...(version && { version }), hypervisors: [], problem: reasonOf(error) };
  } finally {
    // It runs again when it is asked for a VMI.
    thread?.stop();
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
    throw new PluginProblem('is neither a package name nor an absolute path');
  }
  const description = join(directory, 'package.json');
  let text: string;
  try {
    text = await readFile(description, 'utf8');
  } catch {
    throw new PluginProblem(
      `${description} does not exist; install the package: npm install --prefix ${home} ${plugin}`,
    );
  }
  const problem = treeProblem(directory);
  if (problem) throw new PluginProblem(problem);
  const { version, exports, main } = readDescription(text, description);
  return {
    entry: join(directory, entryOf(exports) ?? main ?? 'index.js'),
    ...(typeof version === 'string' && { version }),
  };
}

interface Description {
  readonly version?: unknown;
  readonly main?: string;
  readonly exports?: unknown;
}

function readDescription(text: string, file: string): Description {
  try {
    return JSON.parse(text) as Description;
  } catch (error) {
    throw new PluginProblem(`${file} is not valid JSON: ${reasonOf(error)}`);
  }
}

/** The file that `import` of a package means: its only export, or that of `.` for modules. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const by = exports as Record<string, unknown>;
  return entryOf(by['.'] ?? by.node ?? by.import ?? by.default);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
