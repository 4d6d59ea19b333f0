import type { MessagePort } from 'node:worker_threads';
import type { Topic, TopicName } from '../convert/conversion.ts';

/**
 * What goes between the server and the thread of a plug-in is data. A function goes as the number that the plug-in's
 * thread has it under, a common part of a domain by its name. Marks are Maps: nothing from the API can be mistaken for one.
 */
export type Mark = Map<'fn' | 'topic', number | string>;

const MAX_DEPTH = 64;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Set) && !(value instanceof Map);

/** A value with every function replaced by what `mark` makes of it. */
export function pack(value: unknown, mark: (fn: object) => Mark | undefined, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new TypeError('the value is nested too deeply');
  if (typeof value === 'function') return mark(value);
  if (Array.isArray(value)) return value.map((inner) => pack(inner, mark, depth + 1));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pack(inner, mark, depth + 1)]));
}

/** The reverse: every mark replaced by what `find` finds. `path` leads to the mark. */
export function unpack(value: unknown, find: (mark: Mark, path: string) => unknown, path = ''): unknown {
  if (value instanceof Map) return find(value as Mark, path);
  if (Array.isArray(value)) return value.map((inner, index) => unpack(inner, find, join(path, String(index))));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpack(inner, find, join(path, key))]));
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

export const functionMark = (id: number): Mark => new Map([['fn', id]]);
export const topicMark = (name: TopicName): Mark => new Map([['topic', name]]);

/** Names of the common parts of a domain, by the functions that make them. */
export const topicNames = (topics: Readonly<Record<TopicName, Topic>>): ReadonlyMap<object, TopicName> =>
  new Map(Object.entries(topics).map(([name, topic]) => [topic, name as TopicName]));

/** What a thread is started with. */
export interface ThreadData {
  readonly entry: string;
  /** Where questions come from and answers go to. */
  readonly port: MessagePort;
  /** Goes up by one with every answer. */
  readonly answers: SharedArrayBuffer;
}

/** One registration of a plug-in: a whole hypervisor, or a single contract under a key. */
export type Registration =
  | { readonly type: 'hypervisor'; readonly value: unknown }
  | { readonly type: 'contract'; readonly contract: string; readonly key: string; readonly value: unknown };

export interface Call {
  readonly fn: number;
  readonly args: unknown;
}

export type PluginReply =
  | { readonly type: 'loaded'; readonly registrations: readonly Registration[] }
  | { readonly type: 'value'; readonly value: unknown }
  /** Whatever was asked: it has ended. */
  | { readonly type: 'ended'; readonly why: string }
  /** `field`: of a VMI that cannot be turned into a domain. */
  | { readonly type: 'error'; readonly message: string; readonly field?: string };
