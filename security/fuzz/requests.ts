import type { Random } from '../../faults/random.ts';
import { fill, type Route } from '../routes.ts';
import type { Sent } from '../wire.ts';
import { HOSTILE_TEXTS, hostileBody } from './bodies.ts';

/** A request that no decent client sends. */
export interface HostileRequest extends Sent {
  /** What is wrong with it, for the report. */
  readonly label: string;
}

export const NAMESPACE = 'security-fuzz';
const OBJECT_NAMES = ['web', 'db', 'x', 'a-b.c'] as const;

const METHODS = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'] as const;

const QUERY_NAMES = [
  'limit',
  'continue',
  'labelSelector',
  'fieldSelector',
  'resourceVersion',
  'resourceVersionMatch',
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'timeoutSeconds',
  'fieldManager',
  'fieldValidation',
  'pretty',
  'force',
  'propagationPolicy',
  'gracePeriodSeconds',
  'orphanDependents',
  'action',
  'link',
  'container',
  'tailLines',
  'sinceTime',
  'limitBytes',
  'previous',
  'x-kubevirt-export-token',
  '__proto__',
  'constructor',
] as const;

const QUERY_VALUES: readonly string[] = [
  ...HOSTILE_TEXTS,
  'a=b,c!=d,e in (f,g),!h',
  '((((',
  'a in (',
  'metadata.name=web,spec.nothing=1',
  'eyJydiI6MX0',
  '0',
  'NotOlderThan',
  'Exact',
  'Background',
  'true',
  '2026-13-45T99:99:99Z',
];

const HEADERS: readonly Readonly<Record<string, string | string[]>>[] = [
  {},
  {},
  {},
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  { accept: 'application/vnd.kubernetes.protobuf' },
  { accept: 'application/yaml' },
  { accept: 'application/cbor' },
  { accept: `${'text/html;q=0.1,'.repeat(500)}*/*` },
  { accept: ';;;,,,=' },
  { 'accept-encoding': 'gzip, br, zstd, identity;q=0' },
  { 'content-encoding': 'gzip' },
  { 'content-length': '99999999999' },
  { 'impersonate-user': '' },
  { 'impersonate-user': 'system:anonymous', 'impersonate-extra-%zz': 'x' },
  { 'impersonate-group': ['a', 'b'] },
  { 'impersonate-uid': '\u00e9' },
  { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' },
  { range: 'bytes=99-1,-,x' },
  { 'if-none-match': '*', 'if-modified-since': 'yesterday' },
  { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
  { cookie: 'R_SESS=x; '.repeat(100) },
  { 'x-api-csrf': 'x', 'x-long': 'x'.repeat(8000) },
  { authorization: 'Bearer' },
];

/** Ways to write a path that a careless server takes for another one, or falls over. */
const PATH_TRICKS: readonly ((path: string, random: Random) => string)[] = [
  (path) => path.replaceAll('/', '//'),
  (path) => `${path}/`,
  (path) => `${path}//..//..`,
  (path) => path.replace(/\/([^/]*)$/, '/%2e%2e/$1'),
  (path) => path.replace(/\/([^/]*)$/, '/%2E%2E%2F%2E%2E%2Fetc%2Fpasswd'),
  (path) => `${path}%00`,
  (path) => `${path}%0d%0aX-Forged:%20yes`,
  (path) => `${path}%`,
  (path) => `${path}%ff%fe`,
  (path) => `${path};jsessionid=1`,
  (path) => `${path}#fragment`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}/${'a/'.repeat(2000)}`,
  (path) => `${path}/${'x'.repeat(12_000)}`,
  (path) => `/watch${path}`,
  (path) => `${path}/status/status/scale`,
  (path) => path.replace('/namespaces/', '/watch/namespaces/'),
  (path, random) => path.replace(/[^/]+$/, encodeURIComponent(random.pick(HOSTILE_TEXTS.filter(isEncodable)))),
  (path, random) => `${path}/${random.pick(['__proto__', 'constructor', 'toString', '*', '-', '~', '.'])}`,
];

const isEncodable = (text: string): boolean => !/[\ud800-\udfff](?![\udc00-\udfff])/.test(text);

/**
 * Some request to a route. What is in no namespace, and what a trick may lead elsewhere, is only tried out (`dryRun`):
 * the round is to find faults, not to take the server's roles and kinds away.
 */
export function hostileRequest(random: Random, route: Route): HostileRequest {
  const place = [random.pick(OBJECT_NAMES), NAMESPACE] as const;
  const plain = fill(route.template, { namespace: place[1], name: place[0] });
  const isTricked = random.next() < 0.25;
  const path = isTricked ? random.pick(PATH_TRICKS)(plain, random) : plain;
  const method = random.next() < 0.7 ? random.pick(route.methods) : random.pick(METHODS);
  const isContained = !isTricked && route.template.includes('{namespace}') && method !== 'DELETE';
  const query = new URLSearchParams(isContained ? [] : [['dryRun', 'All']]);
  while (random.next() < 0.35) query.append(random.pick(QUERY_NAMES), random.pick(QUERY_VALUES));
  const headers = random.pick(HEADERS);
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'TRACE';
  const body = hasBody && random.next() < 0.95 ? hostileBody(random, method, route.gvk, place) : undefined;
  const text = query.toString();
  return {
    method,
    path: text ? `${path}?${text}` : path,
    headers: { ...(body && { 'content-type': body.contentType }), ...headers },
    ...(body && { body: body.bytes }),
    label: body ? `with ${body.label} as ${body.contentType}` : '',
  };
}
