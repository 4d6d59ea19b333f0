import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { isObject } from '@vireo/api/json.ts';
import { WITH_US } from '../copy.ts';
import { BadImage } from './badImage.ts';

const run = promisify(execFile);

/** A look at an image that somebody sent may take so much and no more. */
const LIMITS = ['--as=2147483648', '--cpu=30'];
const LOOK_TIMEOUT_MS = 60_000;

/** What is known of a qcow2 image without trusting it. */
export interface ImageInfo {
  readonly virtualBytes: number;
  /** What its data takes as a sparse raw file. */
  readonly neededBytes: number;
}

/** Looks at a qcow2 image and refuses one that leans on other files or cannot be read. */
export async function inspect(path: string): Promise<ImageInfo> {
  const info = await look(['info', '--output=json', '-f', 'qcow2', path]);
  const virtualBytes = info['virtual-size'];
  if (typeof virtualBytes !== 'number') throw new BadImage('the image does not say how large its disk is');
  for (const key of ['backing-filename', 'full-backing-filename'])
    if (info[key] !== undefined)
      throw new BadImage(`the image is only the difference to another file: ${text(info[key])}`);
  const specific = isObject(info['format-specific']) ? info['format-specific'].data : undefined;
  const details = isObject(specific) ? specific : {};
  if (details['data-file'] !== undefined)
    throw new BadImage(`the image keeps its data in another file: ${text(details['data-file'])}`);
  if (info.encrypted === true || details.encrypt !== undefined) throw new BadImage('the image is encrypted');
  if (details.corrupt === true) throw new BadImage('the image is marked as corrupt');
  await expectWhole(path);
  const measured = await look(['measure', '--output=json', '-f', 'qcow2', '-O', 'raw', path]);
  return { virtualBytes, neededBytes: Number(measured.required ?? virtualBytes) };
}

/** An image that was cut off converts without complaint, to a disk that ends in zeros: its tables have to be counted. */
async function expectWhole(path: string): Promise<void> {
  try {
    await run('prlimit', [...LIMITS, 'qemu-img', 'check', '-q', '-f', 'qcow2', path], {
      timeout: LOOK_TIMEOUT_MS,
      maxBuffer: 1 << 24,
    });
  } catch (error) {
    const { code, stderr = '', message } = error as { code?: unknown; stderr?: string; message: string };
    // Space that nothing refers to does no harm.
    if (code === ONLY_LEAKS) return;
    throw new BadImage(`the image is damaged or cut off: ${reason(stderr || message)}`, { cause: error });
  }
}

const ONLY_LEAKS = 3;

async function look(args: readonly string[]): Promise<Record<string, unknown>> {
  try {
    const { stdout } = await run('prlimit', [...LIMITS, 'qemu-img', ...args], {
      timeout: LOOK_TIMEOUT_MS,
      maxBuffer: 1 << 22,
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new BadImage(`the image cannot be read: ${reason(stderr || message)}`, { cause: error });
  }
}

/** Makes a raw file of a qcow2 image; `onProgress` is told shares of one. */
export async function convert(
  from: string,
  to: string,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const args = [...WITH_US, 'qemu-img', 'convert', '-p', '-f', 'qcow2', '-O', 'raw', '-W', '-m', '8', from, to];
  const child = spawn('setpriv', args, { signal, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(0, 2000);
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
  if (/No space left|Input\/output error/i.test(complaint)) throw new Error(reason(complaint));
  throw new BadImage(`the image cannot be converted: ${reason(complaint) || `qemu-img ended with ${code}`}`);
}

const text = (value: unknown): string => JSON.stringify(value).slice(0, 200);

const reason = (output: string): string => output.trim().split('\n').slice(0, 3).join('; ').slice(0, 500);
