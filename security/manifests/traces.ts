import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ground } from '../ground.ts';

/** Where hostile paths and commands of a round would leave something. */
const LOOKED_THROUGH = ['/tmp', '/etc', '/root', '/home', '/run', '/var', '/opt'];

/** What is left of hostile texts where nothing of them should be. Undefined entries are checks that found nothing. */
export async function traces({ home }: Ground, marker: string, output: string): Promise<(string | undefined)[]> {
  const files = await filesNamed(marker, home);
  const log = await readFile(join(home, 'vireo.log'), 'utf8').catch(() => '');
  const outside = files.length > 0 ? `files outside the home: ${files.join(', ')}` : undefined;
  return [outside, logProblem(output, marker), logProblem(log, marker)];
}

/** What is wrong with a log that hostile texts may have reached. */
export function logProblem(text: string, marker: string): string | undefined {
  const lines = text.split('\n');
  const forged = lines.find((line) => isForged(line, marker));
  if (forged !== undefined) return `a line of a log is forged: ${JSON.stringify(forged)}`;
  const escaped = lines.find((line) => line.includes('\x1b]0;'));
  return escaped === undefined ? undefined : `a line of a log writes to terminals: ${JSON.stringify(escaped)}`;
}

/** A text that has become a line of its own begins with what followed its line break. */
const isForged = (line: string, marker: string): boolean =>
  line.startsWith(`FORGED ${marker}`) || line.startsWith(`Forged: ${marker}`);

async function filesNamed(marker: string, home: string): Promise<string[]> {
  const run = promisify(execFile);
  const args = [...LOOKED_THROUGH, '-xdev', '-path', home, '-prune', '-o', '-name', `*${marker}*`, '-print'];
  // It complains of directories that went meanwhile, and of those that are not ours.
  const { stdout } = await run('find', args).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return stdout.split('\n').filter((line) => line !== '');
}
