import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { isObject } from '@vireo/api/json.ts';
import { DIE_WITH_PARENT, outputExcerpt as reason } from '../program.ts';
import { BadImage } from './badImage.ts';
import { readQcow2Header } from './qcow2Header.ts';

const run = promisify(execFile);

/** A look at an image that somebody sent may take so much and no more. */
const LIMITS = ['--as=2147483648', '--cpu=30'];
const INFO_TIMEOUT_MS = 60_000;

/** What is known of a qcow2 image without trusting it. */
export interface ImageInfo {
  readonly virtualBytes: number;
  /** What its data takes as a sparse raw file. */
  readonly neededBytes: number;
}

const ONLY_LEAKS = 3;

/**
 * Looks at a qcow2 image and refuses one that leans on other files or is not whole. One that was cut off converts
 * without complaint, to a disk that ends in zeros: its tables have to be counted.
 */
export async function inspect(path: string): Promise<ImageInfo> {
  const { virtualBytes, clusterBytes } = await readQcow2Header(path);
  const { allocated } = await check(path);
  return { virtualBytes, neededBytes: Math.min(virtualBytes, allocated * clusterBytes) };
}

async function check(path: string): Promise<{ allocated: number }> {
  const args = [...LIMITS, 'qemu-img', 'check', '--output=json', '-f', 'qcow2', path];
  const options = { timeout: INFO_TIMEOUT_MS, maxBuffer: 1 << 24 };
  const { stdout } = await run('prlimit', args, options).catch((error: Failed) => {
    // Space that nothing refers to does no harm.
    if (error.code === ONLY_LEAKS) return error;
    throw new BadImage(`the image is corrupt or truncated: ${reason(error.stderr || error.message)}`, { cause: error });
  });
  const found: unknown = JSON.parse(stdout);
  return { allocated: Number(isObject(found) ? (found['allocated-clusters'] ?? 0) : 0) };
}

interface Failed extends Error {
  readonly code?: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Makes a raw file of a qcow2 image; `onProgress` is told shares of one. Past the host's cache, where that can be: so
 * the disk writes while the image is still being read, which takes a third of the time.
 */
export async function convert(
  from: string,
  to: string,
  onProgress: (share: number) => void,
  { hasDirectIo, signal }: { readonly hasDirectIo: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const cache = hasDirectIo ? 'none' : 'writeback';
  const options = ['-p', '-f', 'qcow2', '-O', 'raw', '-t', cache, '-W', '-m', '8'];
  const args = [...DIE_WITH_PARENT, 'qemu-img', 'convert', ...options, from, to];
  const child = spawn('setpriv', args, { signal, stdio: ['ignore', 'pipe', 'pipe'] });
  let outputExcerpt = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    outputExcerpt = (outputExcerpt + chunk).slice(0, 2000);
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const percent = /\(([\d.]+)\/100%\)[^(]*$/.exec(chunk)?.[1];
    if (percent !== undefined) onProgress(Number(percent) / 100);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  // A disk that is full is not the image's fault.
  if (/No space left|Input\/output error/i.test(outputExcerpt)) throw new Error(reason(outputExcerpt));
  throw new BadImage(`the image cannot be converted: ${reason(outputExcerpt) || `qemu-img ended with ${code}`}`);
}
