import { request } from 'node:https';
import { isObject } from '@vireo/api/json.ts';
import type { PowerOperation } from '@vireo/api/kinds/harvester/inventory.ts';

/** How a Redfish service is reached, and as whom. */
export interface RedfishAccess {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Certificate authority to trust instead of those that everybody trusts. */
  readonly ca?: string | undefined;
  /** Any certificate is accepted. */
  readonly isInsecure: boolean;
  /** The id of the system, where the service has several. */
  readonly systemName?: string | undefined;
}

/** A computer system as a Redfish service tells of it. */
export interface RedfishSystem {
  /** Such as `On`. */
  readonly powerState: string;
  /** Where resets are asked for. */
  readonly resetPath: string;
  /** Kinds of resets that it takes; undefined where it does not say. */
  readonly resetTypes: readonly string[] | undefined;
}

/** The Redfish service refuses, or does not answer as the standard says. */
export class RedfishError extends Error {
  override readonly name = 'RedfishError';
}

const SYSTEMS = '/redfish/v1/Systems';
const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 1 << 20;

/** The resets that do what an operation asks for, the gentlest first. */
const RESETS: Readonly<Record<PowerOperation, readonly string[]>> = {
  shutdown: ['GracefulShutdown', 'ForceOff'],
  poweron: ['On', 'ForceOn'],
  reboot: ['GracefulRestart', 'ForceRestart', 'PowerCycle'],
};

/** Asks which system there is, in which state. */
export async function readSystem(access: RedfishAccess, signal: AbortSignal): Promise<RedfishSystem> {
  const path = await systemPath(access, signal);
  const { PowerState, Actions } = await call(access, 'GET', path, undefined, signal);
  const reset = isObject(Actions) ? Actions['#ComputerSystem.Reset'] : undefined;
  const target = isObject(reset) ? reset.target : undefined;
  const allowed = isObject(reset) ? reset['ResetType@Redfish.AllowableValues'] : undefined;
  if (!isPath(target)) throw new RedfishError(`${path} has no action #ComputerSystem.Reset`);
  return {
    powerState: typeof PowerState === 'string' ? PowerState : 'Unknown',
    resetPath: target,
    resetTypes: Array.isArray(allowed) ? allowed.filter((each) => typeof each === 'string') : undefined,
  };
}

/** The reset that does an operation; throws where the system takes none of those that would. */
export function resetTypeFor(operation: PowerOperation, { resetTypes }: Pick<RedfishSystem, 'resetTypes'>): string {
  const wanted = RESETS[operation];
  const found = resetTypes ? wanted.find((each) => resetTypes.includes(each)) : wanted[0];
  if (found !== undefined) return found;
  throw new RedfishError(`the system takes none of ${wanted.join(', ')}, but ${resetTypes?.join(', ') || 'nothing'}`);
}

/** Asks for a reset. */
export async function reset(
  access: RedfishAccess,
  { resetPath }: Pick<RedfishSystem, 'resetPath'>,
  type: string,
  signal: AbortSignal,
): Promise<void> {
  await call(access, 'POST', resetPath, { ResetType: type }, signal);
}

async function systemPath(access: RedfishAccess, signal: AbortSignal): Promise<string> {
  const { systemName } = access;
  if (systemName !== undefined) return `${SYSTEMS}/${encodeURIComponent(systemName)}`;
  const { Members } = await call(access, 'GET', SYSTEMS, undefined, signal);
  const paths = (Array.isArray(Members) ? Members : []).flatMap((each) => (isObject(each) ? [each['@odata.id']] : []));
  const [path, ...others] = paths.filter(isPath);
  if (path === undefined) throw new RedfishError(`${SYSTEMS} lists no system`);
  if (others.length === 0) return path;
  const ids = [path, ...others].map((each) => each.split('/').at(-1)).join(', ');
  throw new RedfishError(`it has several systems; choose one with providerOptions.redfish.systemName: ${ids}`);
}

/** A path of the same service: the credentials go nowhere else. */
const isPath = (value: unknown): value is string => typeof value === 'string' && /^\/(?!\/)[\x21-\x7e]*$/.test(value);

function call(
  { host, port, username, password, ca, isInsecure }: RedfishAccess,
  method: 'GET' | 'POST',
  path: string,
  body: object | undefined,
  stopping: AbortSignal,
): Promise<Record<string, unknown>> {
  const content = body && JSON.stringify(body);
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'odata-version': '4.0',
    ...(content !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  const options = { host, port, method, path, headers, signal, ca, rejectUnauthorized: !isInsecure, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(options, async (response) => {
      try {
        const { statusCode = 0 } = response;
        const text = await textOf(response);
        if (statusCode >= 200 && statusCode < 300) resolve(parsed(text));
        else reject(new RedfishError(`${method} ${path} was answered with ${statusCode}${messageIn(text)}`));
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', (error) => reject(signal.aborted && !stopping.aborted ? tooSlow(method, path) : error));
    sent.end(content);
  });
}

const tooSlow = (method: string, path: string): Error =>
  new RedfishError(`${method} ${path} was not answered within ${TIMEOUT_MS / 1000} s`);

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RedfishError(`the answer is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Answers to actions may be empty. */
function parsed(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RedfishError('the answer is not JSON', { cause: error });
  }
  if (!isObject(value)) throw new RedfishError('the answer is no JSON object');
  return value;
}

/** What the standard has services say: `error.message`, or that of its first detail. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
    const details = error?.['@Message.ExtendedInfo'];
    const [detail] = Array.isArray(details) ? details : [];
    const message = (isObject(detail) ? detail.Message : undefined) ?? error?.message;
    return typeof message === 'string' ? `: ${message}` : '';
  } catch {
    return '';
  }
}
