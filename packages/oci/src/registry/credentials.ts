import { OciError } from '../errors.ts';
import type { ImageReference } from '../reference.ts';

/** Who pulls. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  /** Instead of a password: a token that buys tokens. */
  readonly identityToken?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The credentials for an image in the content of a Secret of type `kubernetes.io/dockerconfigjson` (or its
 * predecessor `dockercfg`, which has no `auths` around it). Keys are hosts, with or without scheme, port and path;
 * `*` stands for a part of a host; the most specific key wins.
 */
export function credentialsFor(reference: ImageReference, dockerConfig: string): Credentials | undefined {
  const entries = Object.entries(authsOf(dockerConfig))
    .map(([key, value]) => ({ key: parseKey(key), value }))
    .filter(({ key }) => matches(key, reference))
    .sort((a, b) => b.key.path.length - a.key.path.length || Number(a.key.isPattern) - Number(b.key.isPattern));
  const [best] = entries;
  return best && readEntry(best.value);
}

function authsOf(dockerConfig: string): Json {
  let config: unknown;
  try {
    config = JSON.parse(dockerConfig);
  } catch {
    // Not the parser's words: they would quote the secret.
    throw new OciError('Unauthorized', 'the pull secret is not valid JSON');
  }
  if (typeof config !== 'object' || config === null)
    throw new OciError('Unauthorized', 'the pull secret is not a JSON object');
  const auths: unknown = 'auths' in config ? config.auths : config;
  return typeof auths === 'object' && auths !== null ? (auths as Json) : {};
}

interface Key {
  readonly host: string;
  readonly path: string;
  readonly isPattern: boolean;
}

function parseKey(key: string): Key {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/]*)\/?(.*?)\/?$/.exec(key) ?? [];
  // Docker Hub's is kept under the address of an API that is long gone.
  const isHub = host === 'index.docker.io' || host === 'registry-1.docker.io';
  return {
    host: isHub ? 'docker.io' : host,
    path: /^v[12]$/.test(path) ? '' : path,
    isPattern: host.includes('*'),
  };
}

function matches({ host, path }: Key, { registry, repository }: ImageReference): boolean {
  const [keyHost = '', keyPort] = splitPort(host);
  const [ownHost = '', ownPort] = splitPort(registry);
  if (keyPort !== ownPort) return false;
  const wanted = keyHost.split('.');
  const given = ownHost.split('.');
  if (wanted.length !== given.length || !wanted.every((part, index) => fits(part, given[index] ?? ''))) return false;
  return path === '' || repository === path || repository.startsWith(`${path}/`);
}

const splitPort = (host: string): string[] => /^(.*?)(?::([0-9]+))?$/.exec(host)?.slice(1) ?? [host];

/** `*` is any run of characters within one part of a host; no regular expression is made of what a user wrote. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern.toLowerCase() === text.toLowerCase();
  if (!text.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function readEntry(value: unknown): Credentials {
  const entry = typeof value === 'object' && value !== null ? (value as Json) : {};
  const text = (key: string): string | undefined => {
    const found = entry[key];
    return typeof found === 'string' && found !== '' ? found : undefined;
  };
  const identityToken = text('identitytoken');
  const decoded = Buffer.from(text('auth') ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const username = text('username') ?? (colon > 0 ? decoded.slice(0, colon) : undefined);
  // Docker pads passwords with zeros in some versions.
  const password = text('password') ?? (colon > 0 ? decoded.slice(colon + 1).replace(/\0+$/, '') : undefined);
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(identityToken !== undefined && { identityToken }),
  };
}
