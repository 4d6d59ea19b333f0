import { ApiError } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import { goJsonError } from '../decode/goJsonError.ts';
import type { Channel } from '../services/outbound/channel.ts';
import { DEADLINE_EXCEEDED } from '../services/outbound/goErrors.ts';
import { callOn, type Outbound } from '../services/outbound/outbound.ts';
import type { Address, ResolveService } from '../services/resolve.ts';
import type { Services } from '../services/services.ts';
import { type ClientConfig, portOf, targetOf } from './clientConfig.ts';
import { statusText } from './statusText.ts';

const SELF: UserInfo = { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, */*' };

/** What bounds a call. */
export interface PostLimits {
  readonly timeoutMs: number;
  /** Whether the webhook is told by `?timeout=` how long it has. */
  readonly tellsTimeout?: boolean;
  /** Of the response. */
  readonly maxBytes: number;
  /** Ends the call when nobody waits for its outcome any more. */
  readonly signal?: AbortSignal;
}

/** Why a webhook could not be called at all, as opposed to why its answer is of no use. */
export class NoClient extends Error {}

/** Calls webhooks: those of Services in this process by a function call, all others over TLS. */
export interface WebhookClient {
  /** The JSON that a webhook answers. Throws an Error in Kubernetes' words. */
  post(config: ClientConfig, body: object, limits: PostLimits): Promise<unknown>;
}

/** Makes a client. Both carriers are told and answer the same. */
export function webhookClient(services: Services, resolve: ResolveService, outbound: Outbound): WebhookClient {
  return {
    async post(config, body, limits) {
      const { service } = config;
      const target = targetOf(config);
      if (limits.tellsTimeout) target.searchParams.set('timeout', `${Math.ceil(limits.timeoutMs / 1000)}s`);
      const handler = service && services.find(service.namespace, service.name);
      if (handler) return callInProcess(handler, target, body, limits);
      const channel = channelTo(config, target, outbound);
      try {
        return await callOverNetwork(channel, config, target, body, limits, resolve);
      } catch (error) {
        if (error instanceof BadResponse) throw error;
        throw new Error(`Post ${JSON.stringify(shown(target, config))}: ${(error as Error).message}`, { cause: error });
      }
    },
  };
}

/** The webhook was reached, and its response is none. */
class BadResponse extends Error {}

/** URLs leave out the port of their scheme, Kubernetes does so only where the configuration does. */
function shown(target: URL, { service }: ClientConfig): string {
  if (!service) return target.href;
  return target.href.replace(`https://${target.host}`, `https://${target.hostname}:${portOf(service)}`);
}

async function callInProcess(
  handler: NonNullable<ReturnType<Services['find']>>,
  target: URL,
  body: object,
  { timeoutMs, signal }: PostLimits,
): Promise<unknown> {
  const late = AbortSignal.timeout(timeoutMs);
  const ended = signal ? AbortSignal.any([signal, late]) : late;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void =>
    aborted.reject(new Error(`Post "${target.href}": ${late.aborted ? DEADLINE_EXCEEDED : 'context canceled'}`));
  ended.addEventListener('abort', abort, { once: true });
  try {
    const call = handler({
      method: 'POST',
      path: target.pathname,
      query: target.searchParams,
      headers: { 'content-type': 'application/json' },
      user: SELF,
      body: async () => ({ value: body, contentType: 'application/json' }),
      signal: ended,
    });
    const reply = await Promise.race([aborted.promise, call]);
    if (reply.type === 'object' && reply.status === 200) return reply.object();
    throw new BadResponse(statusText(reply.status, '', ''));
  } catch (error) {
    throw error instanceof ApiError ? new BadResponse(error.message) : error;
  } finally {
    ended.removeEventListener('abort', abort);
  }
}

function channelTo({ caBundle }: ClientConfig, target: URL, outbound: Outbound): Channel {
  const pem = caBundle ? Buffer.from(caBundle, 'base64').toString() : '';
  try {
    return outbound.channel({ serverName: nameOf(target), ...(pem && { caBundle: pem }) });
  } catch (error) {
    throw new NoClient((error as Error).message);
  }
}

/** Without the brackets of IPv6 addresses. */
const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

async function callOverNetwork(
  channel: Channel,
  config: ClientConfig,
  target: URL,
  body: object,
  limits: PostLimits,
  resolve: ResolveService,
): Promise<unknown> {
  const { service } = config;
  const address: Address = service
    ? resolve({ namespace: service.namespace, name: service.name, port: portOf(service) })
    : { host: nameOf(target), port: Number(target.port || 443) };
  const bytes = Buffer.from(JSON.stringify(body));
  const {
    status,
    headers,
    bytes: answer,
  } = await callOn(
    channel,
    {
      address,
      host: target.host,
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { ...JSON_HEADERS, 'content-length': String(bytes.length) },
      body: bytes,
      // Webhooks are asked again anyway, when a write is worked out again.
      isRepeatable: true,
      ...(limits.signal && { signal: limits.signal }),
    },
    limits,
  );
  const text = answer.toString();
  if (status < 200 || status > 206)
    throw new BadResponse(statusText(status, String(headers['content-type'] ?? ''), text));
  return parsed(text, status);
}

function parsed(text: string, status: number): unknown {
  if (text === '') throw new BadResponse(`0-length response with status code: ${status} and content type: `);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadResponse(`couldn't get version/kind; json parse error: ${goJsonError(text, error as Error)}`);
  }
}
