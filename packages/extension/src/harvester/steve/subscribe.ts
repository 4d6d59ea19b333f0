import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, badRequest, forbidden, type Persisted, type UnknownObject, unauthorized } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { ApiRequest, Client, Clock, UserInfo } from '@vireo/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import { keepAlive } from '../../streams/keepAlive.ts';
import { debounced } from './debounce.ts';
import { STEVE_PREFIX, STEVE_ROOT } from './paths.ts';
import { findSteveType, type SteveType } from './types.ts';
import { origin as reachedAt } from './urls.ts';

/** Where clients of the Steve API hear of changes. */
export const SUBSCRIBE_PATH = `${STEVE_PREFIX}/subscribe`;

/** Whether a path is `SUBSCRIBE_PATH`, by either name of the API. */
export const isSubscribePath = (path: string): boolean => path === SUBSCRIBE_PATH || path === `${STEVE_ROOT}/subscribe`;

const PING_MS = 30_000;
/** A request to hear of something is small; what is sent to a client that does not read is not kept without end. */
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
const MAX_SUBSCRIPTIONS = 200;

/** What a client asks to hear of, as Rancher's clients write it. */
interface Subscribe {
  readonly resourceType: string;
  readonly namespace?: string;
  /** `namespace/name`, or a name. */
  readonly id?: string;
  readonly selector?: string;
  readonly resourceVersion?: string;
  /** `resource.changes`: only that something has changed. */
  readonly mode?: string;
  readonly debounceMs?: number;
  readonly stop?: boolean;
}

export interface SubscribeOptions {
  readonly asUser: (user: UserInfo) => Client;
  readonly clock: Clock;
  /** An object as the one who asks sees it in the Steve API. Undefined: it has gone meanwhile. */
  readonly show: (
    request: ApiRequest,
    type: SteveType,
    object: Persisted<UnknownObject>,
  ) => Promise<object | undefined>;
}

/** Takes connections to `SUBSCRIBE_PATH`. */
export function subscriptions({ asUser, clock, show }: SubscribeOptions) {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  return async (request: ApiRequest, incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    if (request.user.groups.includes('system:unauthenticated')) throw unauthorized('must authenticate');
    requireOwnOrigin(request);
    if (incoming.headers.upgrade?.toLowerCase() !== 'websocket')
      throw badRequest(`${SUBSCRIBE_PATH} is a stream; connect with a WebSocket`);
    server.handleUpgrade(incoming, socket, head, (client) => {
      keepAlive(client, clock);
      new Session(client, asUser(request.user), clock, (type, object) => show(request, type, object));
    });
  };
}

/** A page of another server that a browser shows must not listen with the browser's credentials. */
function requireOwnOrigin({ headers }: ApiRequest): void {
  const { origin } = headers;
  if (origin === undefined) return;
  const { host } = new URL(reachedAt(headers));
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  if (from !== host)
    throw forbidden({ group: '', resource: 'subscribe' }, '', `pages of ${origin} must not connect to ${host}`);
}

type Show = (type: SteveType, object: Persisted<UnknownObject>) => Promise<object | undefined>;

/** One connection, and what it listens to. */
class Session {
  readonly #socket: WebSocket;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #show: Show;
  readonly #open = new Map<string, AbortController>();

  constructor(socket: WebSocket, client: Client, clock: Clock, show: Show) {
    this.#socket = socket;
    this.#client = client;
    this.#clock = clock;
    this.#show = show;
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('error', () => socket.terminate());
    let cancel = (): void => {};
    const ping = (): void => {
      cancel = clock.after(PING_MS, () => {
        this.#send({ name: 'ping' });
        ping();
      });
    };
    ping();
    socket.once('close', () => {
      cancel();
      for (const each of this.#open.values()) each.abort();
    });
  }

  #send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    // Who does not read what it asked for has to ask anew.
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#socket.close(1013, 'too slow');
    else this.#socket.send(JSON.stringify(message));
  }

  #receive(text: string): void {
    const answer = this.#take(text);
    if (answer) this.#send(answer);
  }

  /** Does what a message asks for; the result is what is answered at once. */
  #take(text: string): object | undefined {
    const asked = readSubscribe(text);
    if (!asked) return { name: 'resource.error', data: { error: 'expected {"resourceType": …}' } };
    const key = JSON.stringify([asked.resourceType, asked.namespace, asked.id, asked.selector]);
    if (asked.stop) {
      this.#open.get(key)?.abort();
      this.#open.delete(key);
      return { name: 'resource.stop', ...aboutOf(asked) };
    }
    if (this.#open.has(key)) return undefined;
    const type = findSteveType(asked.resourceType);
    if (!type) return failure(asked, `failed to find schema ${asked.resourceType}`);
    if (this.#open.size >= MAX_SUBSCRIPTIONS)
      return failure(asked, `a connection has at most ${MAX_SUBSCRIPTIONS} subscriptions`);
    const stop = new AbortController();
    this.#open.set(key, stop);
    this.#listen(asked, type, stop.signal)
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (!stop.signal.aborted) this.#send(failure(asked, why));
      })
      .finally(() => {
        if (this.#open.get(key) !== stop) return;
        this.#open.delete(key);
        if (!stop.signal.aborted) this.#send({ name: 'resource.stop', ...aboutOf(asked) });
      });
    return undefined;
  }

  async #listen(asked: Subscribe, type: SteveType, signal: AbortSignal): Promise<void> {
    const where = placeOf(asked, type);
    const objects = this.#client.of<UnknownObject>(type.kind);
    // From now on, unless the client knows a moment.
    const resourceVersion =
      asked.resourceVersion || (await objects.list({ ...where, limit: 1 })).metadata.resourceVersion;
    const events = await objects.watch({ ...where, ...(resourceVersion && { resourceVersion }), signal });
    this.#send({ name: 'resource.start', ...aboutOf(asked) });
    const tellOfChanges = (revision: string): void =>
      this.#send({ name: 'resource.changes', ...aboutOf(asked), revision });
    const tell =
      asked.mode === 'resource.changes'
        ? debounced(this.#clock, asked.debounceMs ?? 0, tellOfChanges, signal)
        : undefined;
    for await (const event of events) {
      if (event.type === 'ERROR') throw ApiError.from(event.object.code ?? 500, event.object);
      if (event.type === 'BOOKMARK') continue;
      if (tell) tell(event.object.metadata.resourceVersion);
      else await this.#tellOf(asked, type, event);
    }
  }

  async #tellOf(
    asked: Subscribe,
    type: SteveType,
    { type: what, object }: { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Persisted<UnknownObject> },
  ): Promise<void> {
    const name = { ADDED: 'resource.create', MODIFIED: 'resource.change', DELETED: 'resource.remove' }[what];
    const data = await this.#show(type, object);
    if (!data) return;
    const revision = object.metadata.resourceVersion;
    this.#send({ name, resourceType: type.id, ...(asked.namespace && { namespace: asked.namespace }), revision, data });
  }
}

const failure = (asked: Subscribe, error: string): object => ({
  name: 'resource.error',
  ...aboutOf(asked),
  data: { error },
});

/** What a message is about, in the words of the request. */
const aboutOf = ({ resourceType, namespace, id, selector, mode }: Subscribe): object => ({
  resourceType,
  ...(namespace && { namespace }),
  ...(id && { id }),
  ...(selector && { selector }),
  ...(mode && { mode }),
});

function placeOf({ namespace, id, selector }: Subscribe, { kind }: SteveType) {
  const [first = '', second] = (id ?? '').split('/');
  const name = second ?? first;
  const within = second === undefined ? namespace : first;
  return {
    ...(kind.namespaced && within && { namespace: within }),
    ...(name && { fieldSelector: `metadata.name=${name}` }),
    ...(selector && { labelSelector: selector }),
  };
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

/** Undefined: it is no request. */
function readSubscribe(text: string): Subscribe | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.resourceType !== 'string') return undefined;
  const texts = [value.namespace, value.id, value.selector, value.resourceVersion, value.mode];
  const isSound = texts.every(isText) && (value.debounceMs === undefined || typeof value.debounceMs === 'number');
  return isSound ? (value as unknown as Subscribe) : undefined;
}
