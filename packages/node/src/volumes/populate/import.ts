import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { ConfigMap, Secret } from '@vireo/api';
import { signedHeaders } from '@vireo/backup';
import type { Client, Clock } from '@vireo/kube';
import { readNamed } from '../../disks/readNamed.ts';
import { BadImage } from './badImage.ts';
import { type Download, type DownloadOptions, download } from './download.ts';
import { finish, receive, type Target } from './receive.ts';
import type { HttpWork, S3Work } from './work.ts';

export interface ImportParts {
  /** Reads what the importer pod names. */
  readonly kubelet: Client;
  readonly clock: Clock;
  readonly namespace: string;
  /** Told shares of one. */
  readonly onProgress: (share: number) => void;
  /** Told what goes on, where that takes long and has no shares. */
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Fills a volume from a web server or an object of S3. */
export async function importHttp(work: HttpWork | S3Work, target: Target, parts: ImportParts): Promise<void> {
  const { clock, onProgress, signal } = parts;
  const asked = work.kind === 's3' ? await s3Request(work, parts) : await httpRequest(work, parts);
  const ca = work.certificates === undefined ? undefined : await certificates(work.certificates, parts);
  const over = new AbortController();
  try {
    const found = await download({
      ...asked,
      ...(ca !== undefined && { ca }),
      clock,
      signal: AbortSignal.any([signal, over.signal]),
    });
    // The second half is for what may have to be converted.
    const checksum = work.kind === 'http' ? work.checksum : undefined;
    const data = checked(found, checksum, (share) => onProgress(share / 2));
    await receive(target, data, signal, { announcedBytes: found.totalBytes });
  } finally {
    // What is not wanted is not sent on.
    over.abort();
  }
  await finish(target, (share) => onProgress(0.5 + share / 2), signal);
}

type Asked = Pick<DownloadOptions, 'url' | 'headers' | 'sign'>;

async function httpRequest(work: HttpWork, parts: ImportParts): Promise<Asked> {
  const secretLines = await Promise.all(
    work.secretHeaders.map(async (name) => Object.values(await secretValues(name, parts))),
  );
  const basic = work.secret === undefined ? {} : basicAuth(await secretValues(work.secret, parts));
  return { url: work.url, headers: { ...basic, ...headersOf([...work.headers, ...secretLines.flat()]) } };
}

/** Without a Secret it is asked for as anybody may. */
async function s3Request({ url: given, secret }: S3Work, parts: ImportParts): Promise<Asked> {
  const url = new URL(given);
  // Servers and signers differ in what a plain plus sign is.
  url.pathname = url.pathname.replaceAll('+', '%2B');
  if (secret === undefined) return { url: url.href };
  const { accessKeyId = '', secretKey: secretAccessKey = '' } = await secretValues(secret, parts);
  if (!accessKeyId || !secretAccessKey) throw new BadImage(`Secret ${secret} has no accessKeyId and secretKey`);
  const identity = { accessKeyId, secretAccessKey, region: regionOf(url) };
  // Each request anew: a signature is good for minutes, and a download may take hours.
  return { url: url.href, sign: (each) => signedHeaders({ method: 'GET', url: each }, identity) };
}

/** Amazon's servers have it in their names; others mostly know one, which they call as Amazon's first. */
const regionOf = ({ hostname }: URL): string =>
  /(?:^|\.)s3[.-](?:dualstack\.)?([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(hostname)?.[1] ?? 'us-east-1';

/** The texts of a secret in the claim's namespace, by their keys. */
export async function secretValues(
  name: string,
  { kubelet, namespace }: Pick<ImportParts, 'kubelet' | 'namespace'>,
): Promise<Record<string, string>> {
  const { data = {} } = await readNamed(() => kubelet.of(Secret).get(name, { namespace }));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
}

const decode = (value: string): string => Buffer.from(value, 'base64').toString('utf8');

function basicAuth({ accessKeyId = '', secretKey = '' }: Record<string, string>): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretKey}`).toString('base64')}` };
}

/** `Name: value` a line. */
function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new BadImage('a header must have the form "Name: value"');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** What to trust: what everybody trusts, and what a ConfigMap of the claim's namespace holds. */
export async function certificates(
  name: string,
  { kubelet, namespace }: Pick<ImportParts, 'kubelet' | 'namespace'>,
): Promise<string> {
  const { data = {} } = await readNamed(() => kubelet.of(ConfigMap).get(name, { namespace }));
  return [...rootCertificates, ...Object.values(data)].join('\n');
}

const LENGTHS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/** The same bytes; throws at their end unless they are those that the checksum, `sha256:…`, is of. */
async function* checked(
  { data, totalBytes }: Download,
  checksum: string | undefined,
  onShare: (share: number) => void,
): AsyncGenerator<Buffer> {
  const [algorithm = '', wanted = ''] = checksum?.toLowerCase().split(':') ?? [];
  if (checksum !== undefined && LENGTHS[algorithm] !== wanted.length)
    throw new BadImage(
      `checksum ${JSON.stringify(checksum)}: expected md5, sha1, sha256 or sha512, a colon, and hex digits`,
    );
  const hash = checksum === undefined ? undefined : createHash(algorithm);
  let received = 0;
  for await (const chunk of data) {
    received += chunk.length;
    if (totalBytes) onShare(received / totalBytes);
    hash?.update(chunk);
    yield chunk;
  }
  const found = hash?.digest('hex') ?? wanted;
  if (found !== wanted)
    throw new BadImage(`the checksum is ${algorithm}:${found}, but ${algorithm}:${wanted} was expected`);
}
