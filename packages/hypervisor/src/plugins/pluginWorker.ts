/** The thread of one plug-in. Its code runs here and nowhere else: what it breaks, it breaks for itself. */
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';
import { TOPICS } from '../convert/convertDomain.ts';
import { ConversionError } from '../convert/error.ts';
import { fillUnset } from '../defaults/layer.ts';
import { lockedBytes, memlockBytes, pinsMemory } from '../memlock.ts';
import { memoryOverheadBytes } from '../overhead.ts';
import { el } from '../xml.ts';
import { PLUGIN_API_VERSION, type Plugin, type PluginApi } from './api.ts';
import { fileProblem } from './files.ts';
import {
  type Call,
  functionMark,
  type PluginReply,
  pack,
  type Registration,
  type ThreadData,
  topicMark,
  topicNames,
  unpack,
} from './wire.ts';

const { entry, port, answers } = workerData as ThreadData;
const count = new Int32Array(answers);
const names = topicNames(TOPICS);

/** Every function of the plug-in, bound to what it belongs to. */
const functions: ((...args: unknown[]) => unknown)[] = [];

function reply(message: PluginReply): void {
  try {
    port.postMessage(message);
  } catch {
    port.postMessage({
      type: 'error',
      message: 'returned something that is not data, such as a function or a promise',
    });
  }
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

function failure(error: unknown): PluginReply {
  const message = error instanceof Error ? error.message : String(error);
  return { type: 'error', message, ...(error instanceof ConversionError && { field: error.field }) };
}

/** What a plug-in hands over, as data. Methods of classes count. */
function describe(value: unknown, owner: unknown = undefined, depth = 0): unknown {
  if (depth > 8) throw new TypeError('what it registers is nested too deeply');
  if (typeof value === 'function') return functionMark(functions.push((...args) => value.apply(owner, args)) - 1);
  if (Array.isArray(value)) return value.map((inner) => describe(inner, value, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Record<string, unknown>;
  return Object.fromEntries(keysOf(value).map((key) => [key, describe(record[key], value, depth + 1)]));
}

function keysOf(value: object): string[] {
  const prototype = Object.getPrototypeOf(value) as object | null;
  const inherited =
    prototype === null || prototype === Object.prototype
      ? []
      : Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...Object.keys(value), ...inherited])];
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

/** Code from elsewhere, such as a dependency of the package, is looked at when it is loaded. */
const ours = new URL('../../../', import.meta.url).href;
registerHooks({
  load(url, context, next) {
    const problem = url.startsWith('file:') && !url.startsWith(ours) ? fileProblem(fileURLToPath(url)) : undefined;
    if (problem) throw new Error(problem);
    return next(url, context);
  },
});

/** What nobody handles ends the thread, however the server was started; whoever waits for an answer hears it at once. */
let isEnding = false;
function end(why: string): void {
  if (isEnding) return;
  isEnding = true;
  reply({ type: 'ended', why });
}
const endWith = (error: unknown): void => {
  end(error instanceof Error ? error.message : String(error));
  process.exit(1);
};
process.on('unhandledRejection', endWith);
process.on('uncaughtException', endWith);
process.on('exit', () => end('it exited'));

async function load(): Promise<readonly Registration[]> {
  const { default: plugin } = (await import(pathToFileURL(entry).href)) as { default?: Partial<Plugin> };
  if (typeof plugin !== 'object' || plugin === null || typeof plugin.register !== 'function') {
    throw new Error('its default export must be { apiVersion, register(api) }');
  }
  if (plugin.apiVersion !== PLUGIN_API_VERSION) {
    throw new Error(
      `is written for version ${plugin.apiVersion} of the plug-in API; this Vireo has version ${PLUGIN_API_VERSION}`,
    );
  }
  const registrations: Registration[] = [];
  let isClosed = false;
  const add = (registration: Registration): void => {
    if (isClosed) throw new Error('registers something after it was loaded; do everything in register()');
    registrations.push(registration);
  };
  const contract = (name: string) => (key: string, value: unknown) =>
    add({ type: 'contract', contract: name, key: String(key), value: describe(value) });
  const api: PluginApi = {
    apiVersion: PLUGIN_API_VERSION,
    registerHypervisor: (hypervisor) => add({ type: 'hypervisor', value: describe(hypervisor) }),
    register: {
      defaults: contract('defaults'),
      runtime: contract('runtime'),
      converter: contract('converter'),
      admission: contract('admission'),
      labeller: contract('labeller'),
    },
    memoryOverheadBytes,
    memlockBytes,
    pinsMemory,
    lockedBytes,
    fillUnset,
    el,
  };
  await plugin.register(api);
  isClosed = true;
  return registrations;
}

function call({ fn, args }: Call): PluginReply {
  const given = unpack(args, (mark) => {
    const topic = mark.get('topic');
    return topic === undefined ? functions[mark.get('fn') as number] : TOPICS[topic as keyof typeof TOPICS];
  }) as unknown[];
  const value = functions[fn]?.(...given.map(deepFreeze));
  if (typeof (value as { then?: unknown } | undefined)?.then === 'function') {
    throw new TypeError('returned a promise; it must return synchronously');
  }
  // A common part that is handed back goes by its name.
  return {
    type: 'value',
    value: pack(value, (inner) => {
      const name = names.get(inner);
      if (name === undefined) throw new TypeError('returned a function; it must return data');
      return topicMark(name);
    }),
  };
}

port.on('message', (asked: Call) => {
  try {
    reply(call(asked));
  } catch (error) {
    reply(failure(error));
  }
});

load().then(
  (registrations) => reply({ type: 'loaded', registrations }),
  (error: unknown) => reply(failure(error)),
);
