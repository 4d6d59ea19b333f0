import { once } from 'node:events';
import { STEVE_TYPES } from '@vireo/extension/harvester/steve/types.ts';
import type { WebSocket } from 'ws';
import type { Trial } from '../part.ts';
import type { ServedResource } from './cells.ts';
import { OTHER, OWN, type Person } from './people.ts';
import { allows } from './policy.ts';

const PATH = '/v1/harvester/subscribe';
/** How many subscriptions are open at once. A connection may have 200. */
const AT_ONCE = 100;
const TIMEOUT_MS = 60_000;

/** A kind to hear of: what happens in a namespace, or everywhere. */
export interface Topic {
  readonly type: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace: string | undefined;
}

/** What of the Steve API can be listened to, of what the server serves. */
export function topicsOf(resources: readonly ServedResource[]): Topic[] {
  const isServed = ({ group, plural }: { group: string; plural: string }): boolean =>
    resources.some(
      ({ group: of, name, verbs }) =>
        of === group && name === plural && ['list', 'watch'].every((verb) => verbs.includes(verb)),
    );
  return STEVE_TYPES.filter(({ kind }) => isServed(kind)).flatMap(({ id, kind: { group, plural, namespaced } }) =>
    [...(namespaced ? [OWN, OTHER] : []), undefined].map((namespace) => ({ type: id, group, plural, namespace })),
  );
}

/** Whoever may list and watch a kind hears of it, and nobody else. Who has not shown who he is hears of nothing. */
export async function askSubscriptions(person: Person, topics: readonly Topic[], trial: Trial): Promise<void> {
  const socket = person.wire.webSocket(PATH);
  const connected = await openOrRefused(socket);
  const isRefused = connected === 401 || connected === 403;
  if (person.isAnonymous || connected !== 101) {
    const isRight = person.isAnonymous ? isRefused : connected === 101;
    trial.check(isRight ? undefined : `${person.name}: connecting to ${PATH} got ${connected}`);
    socket.terminate();
    return;
  }
  const answers = answersOf(socket);
  try {
    for (let at = 0; at < topics.length; at += AT_ONCE) {
      const open = topics.slice(at, at + AT_ONCE);
      for (const topic of open) socket.send(JSON.stringify(requestFor(topic)));
      for (const topic of open) trial.check(problemOf(await answers.of(topic), person, topic));
      for (const topic of open) socket.send(JSON.stringify({ ...requestFor(topic), stop: true }));
    }
  } finally {
    socket.terminate();
  }
}

interface Answer {
  readonly name: string;
  readonly resourceType?: string;
  readonly namespace?: string;
  readonly data?: { readonly error?: string };
}

const requestFor = ({ type, namespace }: Topic) => ({ resourceType: type, ...(namespace && { namespace }) });
const keyOf = (resourceType = '', namespace = ''): string => `${resourceType} ${namespace}`;

function problemOf(answer: Answer | undefined, person: Person, { type, group, plural, namespace }: Topic) {
  const rules = namespace === OWN ? [...person.there, ...person.everywhere] : person.everywhere;
  const isAllowed = ['list', 'watch'].every((verb) => allows(rules, verb, group, plural));
  const question = `${person.name}: subscribe to ${type} ${namespace ? `in ${namespace}` : 'at the cluster scope'}`;
  const got = answer ? `${answer.name} ${answer.data?.error ?? ''}`.trim() : 'no answer';
  const isRefused = answer?.name === 'resource.error' && /cannot (list|watch) resource|not allowed/.test(got);
  if (isAllowed ? answer?.name === 'resource.start' : isRefused) return undefined;
  return `${question}: should be ${isAllowed ? 'allowed' : 'refused'}, got ${got}`;
}

/** The first answer to each request. */
function answersOf(socket: WebSocket) {
  const answers = new Map<string, PromiseWithResolvers<Answer | undefined>>();
  const entry = (key: string): PromiseWithResolvers<Answer | undefined> => {
    const known = answers.get(key) ?? Promise.withResolvers<Answer | undefined>();
    answers.set(key, known);
    return known;
  };
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.name === 'resource.start' || answer.name === 'resource.error')
      entry(keyOf(answer.resourceType, answer.namespace)).resolve(answer);
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    for (const each of answers.values()) each.resolve(undefined);
  });
  return {
    async of({ type, namespace }: Topic): Promise<Answer | undefined> {
      const { promise, resolve } = entry(keyOf(type, namespace));
      const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

/** 101, or the status of the refusal. */
async function openOrRefused(socket: WebSocket): Promise<number> {
  socket.on('error', () => {});
  const [code] = (await Promise.race([
    once(socket, 'open').then(() => [101]),
    once(socket, 'unexpected-response').then(([, response]) => [response.statusCode]),
    once(socket, 'close').then(() => [0]),
  ])) as [number];
  return code;
}
