import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it, vi } from 'vitest';
import { type CommandError, isMissingProgram, run, useRunner } from './run.ts';
import { Runner, RunnerEnded } from './runner.ts';

const hasPerl = await promisify(execFile)('perl', ['-v']).then(
  () => true,
  () => false,
);
const runners: Runner[] = [];
const newRunner = (perl?: string): Runner => {
  const runner = new Runner(perl);
  runners.push(runner);
  return runner;
};
afterAll(() => {
  for (const runner of runners) runner[Symbol.dispose]();
});
const shell = (script: string, ...words: string[]): [string, string[], string] => [
  'sh',
  ['-c', script, 'sh', ...words],
  '',
];

it.runIf(hasPerl)('a runner gives a program its words and its input, and returns what it prints', async () => {
  const runner = newRunner();
  const words = ['two words', '', '$HOME "quoted" *', 'ünï'];
  expect(await runner.run(...shell('for each; do echo "[$each]"; done; echo wrong >&2; exit 3', ...words))).toEqual({
    status: 3,
    stdout: words.map((word) => `[${word}]\n`).join(''),
    stderr: 'wrong\n',
  });
  const text = 'ä line\n'.repeat(200_000);
  expect(await runner.run('cat', [], text)).toEqual({ status: 0, stdout: text, stderr: '' });
  // It ends before it has read its input.
  expect((await runner.run('true', [], text)).status).toBe(0);
  expect((await runner.run(...shell('kill -9 $$'))).status).toBe(256 + 9);
});

it.runIf(hasPerl)('a runner runs several programs at once', async () => {
  const runner = newRunner();
  const fifo = `/tmp/vireo-runner-${process.pid}`;
  // Each waits for the other: one after the other, they would never end.
  await runner.run('mkfifo', [fifo], '');
  const both = [runner.run(...shell('cat "$1"', fifo)), runner.run(...shell('echo met > "$1"', fifo))];
  expect((await Promise.all(both)).map(({ stdout }) => stdout)).toEqual(['met\n', '']);
  await runner.run('rm', [fifo], '');
});

it.runIf(hasPerl)('a program that does not exist is missing, and no word has a NUL', async () => {
  const runner = newRunner();
  await expect(runner.run('vireo-no-such-program', [], '')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(runner.run('echo', ['a\0b'], '')).rejects.toThrow('a word of echo has a NUL');
});

it.runIf(hasPerl)('a runner that is killed says so, and whoever waits is told', async () => {
  const runner = newRunner();
  const waiting = runner.run(...shell('kill -9 $PPID'));
  await expect(waiting).rejects.toBeInstanceOf(RunnerEnded);
  expect(runner.isAlive).toBe(false);
  await expect(waiting).rejects.toMatchObject({ isUnusable: false });
  await expect(runner.run('true', [], '')).rejects.toBeInstanceOf(RunnerEnded);
});

it('without Perl, or with one that lacks a module, there is no runner', async () => {
  await expect(newRunner('vireo-no-perl').run('true', [], '')).rejects.toMatchObject({ isUnusable: true });
  // It takes the Perl program for words, and ends with status 1.
  await expect(newRunner('false').run('true', [], '')).rejects.toMatchObject({ isUnusable: true });
});

it.runIf(hasPerl)('a program gets all of its input though whoever wanted it is gone', async () => {
  const runner = newRunner();
  const directory = await mkdtemp(join(tmpdir(), 'vireo-runner-'));
  const [fifo, file] = [join(directory, 'fifo'), join(directory, 'file')];
  await runner.run('mkfifo', [fifo], '');
  const text = 'a line\n'.repeat(200_000);
  // It reads when it is told to: by then, its runner has no input any more.
  const reading = runner.run('sh', ['-c', 'cat "$1" >"$2.told"; cat >"$2"; mv "$2" "$2.done"', 'sh', fifo, file], text);
  reading.catch(() => {});
  runner[Symbol.dispose]();
  await writeFile(fifo, 'go');
  await vi.waitUntil(() => existsSync(`${file}.done`), { timeout: 10_000 });
  expect((await readFile(`${file}.done`, 'utf8')).length).toBe(text.length);
  await rm(directory, { recursive: true });
});

it('a command fails the same way in a runner and without', async () => {
  const failures = async (): Promise<unknown[]> =>
    Promise.all([
      run('sh', ['-c', 'echo no >&2; exit 2']).catch((error: CommandError) => [error.message, error.stderr]),
      run('vireo-no-such-program', []).catch(isMissingProgram),
      run('cat', [], 'text'),
    ]);
  const expected = [['sh -c echo no >&2; exit 2: no', 'no'], true, 'text'];
  expect(await failures()).toEqual(expected);
  useRunner();
  expect(await failures()).toEqual(expected);
});

it.runIf(hasPerl)('a process that has a runner ends by itself', async () => {
  const program = `import { run, useRunner } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)};
    useRunner(); process.stdout.write(await run('echo', ['done']));`;
  const child = execFile(process.execPath, ['--input-type=module-typescript', '--eval', program]);
  let text = '';
  child.stdout?.on('data', (part) => {
    text += part;
  });
  expect([await once(child, 'close'), text]).toEqual([[0, null], 'done\n']);
});
