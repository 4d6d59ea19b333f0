import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { ConfigMap, Secret } from '@vireo/api';
import type { Client, Clock } from '@vireo/kube';
import { readNamed } from '../../disks/readNamed.ts';
import { BadImage } from './badImage.ts';
import { type Download, download } from './download.ts';
import { finish, receive, type Target } from './receive.ts';
import type { HttpWork } from './work.ts';

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

/** Fills a volume from a web server. */
export async function importHttp(work: HttpWork, target: Target, parts: ImportParts): Promise<void> {
  const { clock, onProgress, signal } = parts;
  const secretLines = await Promise.all(
    work.secretHeaders.map(async (name) => Object.values(await secretValues(name, parts))),
  );
  const basic = work.secret === undefined ? {} : basicAuth(await secretValues(work.secret, parts));
  const ca = work.certificates === undefined ? undefined : await certificates(work.certificates, parts);
  const over = new AbortController();
  try {
    const found = await download({
      url: work.url,
      headers: { ...basic, ...headersOf([...work.headers, ...secretLines.flat()]) },
      ...(ca !== undefined && { ca }),
      clock,
      signal: AbortSignal.any([signal, over.signal]),
    });
    // The second half is for what may have to be converted.
    const data = checked(found, work.checksum, (share) => onProgress(share / 2));
    await receive(target, data, signal, { announcedBytes: found.totalBytes });
  } finally {
    // What is not wanted is not sent on.
    over.abort();
  }
  await finish(target, (share) => onProgress(0.5 + share / 2), signal);
}

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
