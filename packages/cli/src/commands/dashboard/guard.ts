/** The header that the page sends with every request, and that forms of other pages cannot send. */
export const OWN_HEADER = 'x-vireo-dashboard';

/** What is looked at before anything else is done with a request. */
export interface Asked {
  readonly method: string;
  readonly isUpgrade: boolean;
  /** Whether it is for the API, or ends or begins a session, rather than for a file of the page. */
  readonly isForApi: boolean;
  /** Whether it is a link that saves a file: browsers let no page set headers on these. */
  readonly isDownload?: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Refuses what does not come from our own page. A loopback port is no protection: other users of the host, guests with
 * user networking, and every website that the user visits can send requests to it.
 *
 * `authority` is the address and port that the server is bound to.
 */
export function judge(asked: Asked, authority: string): Refusal | undefined {
  const { method, isUpgrade, isForApi, isDownload = false, headers } = asked;
  // A name that leads here by somebody's DNS is not ours.
  if (headers.host !== authority) return refuse(421, `Open http://${authority}/dashboard/ instead.`);
  const { origin, 'sec-fetch-site': site } = headers;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  if (origin !== undefined && origin !== `http://${authority}`)
    return refuse(403, 'The request comes from another page.');
  if (origin === undefined && (isUpgrade || isWrite))
    return refuse(403, 'The request does not say which page it comes from.');
  // Other ports of this host are the same site, and get our cookie.
  if (isForApi && site !== undefined && site !== 'same-origin')
    return refuse(403, 'The request comes from another page.');
  // Where a header of ours cannot be sent, the browser must say that the link is on a page of ours.
  if (isDownload && (site !== 'same-origin' || isWrite))
    return refuse(403, 'Downloads begin at a link of the dashboard.');
  // Browsers let no page set headers on WebSockets; there, Origin has to do.
  if (isForApi && !isUpgrade && !isDownload && headers[OWN_HEADER] === undefined)
    return refuse(403, `The request lacks the header ${OWN_HEADER}.`);
  if (Object.keys(headers).some((name) => name.startsWith('impersonate-')))
    return refuse(403, 'Impersonation is not possible here; start `vireo dashboard --as USER`.');
  return undefined;
}

const refuse = (status: number, message: string): Refusal => ({ status, message });

const PREFIXES = ['/api', '/apis', '/openapi', '/version', '/v1/harvester'];
const STREAM =
  /^\/apis\/subresources\.kubevirt\.io\/[a-z0-9]+\/namespaces\/[^/]+\/virtualmachineinstances\/[^/]+\/(console|vnc)$/;

/** Subresources behind which programs answer, or ports of guests. */
const LEADS_ELSEWHERE = /\/proxy(\/|$)|\/namespaces\/[^/]+\/[^/]+\/[^/]+\/(exec|attach|portforward)(\/|$)/i;

/**
 * The path and query to ask the cluster for; undefined if it is not for the API, or can be read in two ways. Subresources
 * that lead to programs in the cluster are left out: what these answer would be a page of ours.
 */
export function clusterTarget(target: string): string | undefined {
  const [path = '', ...query] = target.split('?');
  if (!isPlain(path) || LEADS_ELSEWHERE.test(decodeURIComponent(path))) return undefined;
  if (!PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) return undefined;
  return query.length > 0 ? `${path}?${query.join('?')}` : path;
}

/** The path and query of a stream of a guest. */
export const streamTarget = (target: string): string | undefined =>
  STREAM.test(target.split('?', 1)[0] ?? '') ? clusterTarget(target) : undefined;

const DOWNLOAD = /^\/dashboard\/exports\/([a-z0-9-]+)\/([a-z0-9.-]+)\/(volumes\/[a-z0-9.-]+\/[\w./-]+)$/;

/** A file of an export, by the address of the page's link to it. */
export interface Download {
  readonly namespace: string;
  readonly name: string;
  /** What of it, as the links in the export's status have it. */
  readonly rest: string;
}

export function downloadTarget(path: string): Download | undefined {
  if (!isPlain(path)) return undefined;
  const [, namespace, name, rest] = DOWNLOAD.exec(path) ?? [];
  return namespace && name && rest ? { namespace, name, rest } : undefined;
}

/** Whether everybody reads a path alike: no segments that lead up or nowhere, escaped or not, and nothing escaped twice. */
function isPlain(path: string): boolean {
  if (!path.startsWith('/') || /[\\#;\s]|\/\/|%2f|%5c|%25|%00/i.test(path)) return false;
  try {
    return decodeURIComponent(path)
      .split('/')
      .every((segment) => segment !== '.' && segment !== '..' && !/\p{Cc}/u.test(segment));
  } catch {
    return false;
  }
}

const REQUEST_HEADERS = ['accept', 'content-type'];
const RESPONSE_HEADERS = ['content-type', 'retry-after', 'warning'];

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
const only = (headers: Headers, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, [headers[name]].flat().join(', ')]])),
  );

const DOWNLOAD_REQUEST_HEADERS = ['range', 'if-range'];
const DOWNLOAD_RESPONSE_HEADERS = ['content-length', 'content-range', 'accept-ranges', 'etag'];

/** What a download has besides: which part of it is asked for. */
export const downloadRequestHeaders = (headers: Headers): Record<string, string> =>
  only(headers, DOWNLOAD_REQUEST_HEADERS);

/** What a download's answer has besides; a browser that gets it saves it, whatever is in it. */
export const downloadResponseHeaders = (headers: Headers, fileName: string): Record<string, string> => ({
  ...only(headers, DOWNLOAD_RESPONSE_HEADERS),
  'content-type': 'application/octet-stream',
  'content-disposition': `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`,
});

/** What the cluster gets to see of a request: no cookie, no origin, nothing about the connection or another identity. */
export const requestHeaders = (headers: Headers): Record<string, string> => only(headers, REQUEST_HEADERS);

/** What the page gets to see of an answer, with what keeps a browser from taking it for a page. */
export const responseHeaders = (headers: Headers): Record<string, string> => ({
  ...only(headers, RESPONSE_HEADERS),
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
});
