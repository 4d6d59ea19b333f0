import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../examples.ts';
import { errorCode, Failure } from '../failure.ts';
import { logFile } from '../logFile.ts';
import { homeOption } from '../options.ts';
import { readServerRecord } from '../serverRecord.ts';
import { explainHomeError } from '../startError.ts';
import { shellWord } from './readyText.ts';

/** `vireo logs`: what the server of a home has written to its log. */
export function addLogsCommand(program: Command): void {
  program
    .command('logs')
    .summary('print the server log')
    .description(
      'Prints the log of the home’s server, including earlier runs: the last 5 to 10 MiB are kept. With --follow, ' +
        'prints new lines as they are written, until the server stops.',
    )
    .addOption(homeOption())
    .option('-f, --follow', 'print new lines until the server stops')
    .addOption(new Option('--tail <lines>', 'print only this many lines from the end').argParser(parseLines))
    .addHelpText(
      'after',
      examples(['vireo logs --tail 50', 'the last 50 lines'], ['vireo logs -f', 'follow the log until Ctrl-C']),
    )
    .action(logs);
}

interface LogsOptions {
  readonly home: string;
  readonly follow?: boolean;
  readonly tail?: number;
}

/** How often a log is looked at again. */
const INTERVAL_MS = 200;

async function logs({ home, follow = false, tail }: LogsOptions): Promise<void> {
  // `vireo logs | head` ends as soon as head has enough.
  process.stdout.on('error', (error) => process.exit(errorCode(error) === 'EPIPE' ? 0 : 1));
  const file = logFile(home);
  const current = await contentOf(file, home);
  if (current === undefined) {
    throw new Failure(
      `no log in ${home}: no server has been started there`,
      `To start one: vireo up --detach --home ${shellWord(home)}`,
    );
  }
  const earlier = (await contentOf(`${file}.1`, home)) ?? Buffer.alloc(0);
  process.stdout.write(lastLines(Buffer.concat([earlier, current]).toString(), tail));
  if (follow)
    for await (const chunk of additions(file, current.length, () => isServed(home))) process.stdout.write(chunk);
}

/** The end of a text, by lines; all of it unless a number is given. */
export function lastLines(text: string, count: number | undefined): string {
  if (count === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  return count === 0 ? '' : lines.slice(-count).join('');
}

/** What is added to a log from `offset` on, also after it was renamed and begun anew, as long as `isWritten` says so. */
export async function* additions(
  file: string,
  offset: number,
  isWritten: () => boolean,
  intervalMs: number = INTERVAL_MS,
): AsyncGenerator<Buffer, void> {
  let handle = await open(file);
  let position = offset;
  try {
    for (;;) {
      // Asked first: what was written before the end is still to be read.
      const goesOn = isWritten();
      const { ino, size } = await handle.stat();
      if (size < position) {
        // It was begun anew since; the rest is in the one before it.
        yield* restOf(`${file}.1`, position);
        position = 0;
      }
      const next = await open(file).catch(() => undefined);
      const isRenamed = next !== undefined && (await next.stat()).ino !== ino;
      for (let chunk = await readAt(handle, position); chunk.length > 0; chunk = await readAt(handle, position)) {
        position += chunk.length;
        yield chunk;
      }
      if (next && isRenamed) {
        await handle.close();
        handle = next;
        position = 0;
        continue;
      }
      await next?.close();
      if (!goesOn) return;
      await delay(intervalMs);
    }
  } finally {
    await handle.close();
  }
}

async function* restOf(file: string, from: number): AsyncGenerator<Buffer, void> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return;
  try {
    let position = from;
    for (let chunk = await readAt(handle, position); chunk.length > 0; chunk = await readAt(handle, position)) {
      position += chunk.length;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}

async function readAt(handle: Awaited<ReturnType<typeof open>>, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64 << 10), position });
  return buffer.subarray(0, bytesRead);
}

const isServed = (home: string): boolean => readServerRecord(home) !== undefined;

async function contentOf(file: string, home: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw explainHomeError(error, home);
  }
}

function parseLines(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a number of lines.');
  return Number(text);
}
