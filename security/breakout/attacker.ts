import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commandAs, type Identity, rights } from './identity.ts';

const PROGRAM = fileURLToPath(new URL('attacker.pl', import.meta.url));
const PERL = '/usr/bin/perl';

/** One thing to try: a verb of `attacker.pl` and its arguments. */
export interface Attempt {
  readonly verb: string;
  readonly words: readonly string[];
}

/** What came of the attempts, in their order: the ways in which each of them went well, and further words by way. */
export type Outcome = ReadonlyMap<string, readonly string[]>;

export interface AttackerOptions {
  /** A user that has nothing to do with Vireo, in the place of the process's own. */
  readonly user?: number;
  /** Directories for names of files that belong to others. */
  readonly scratch?: readonly string[];
}

export interface Attack {
  /** Who tried, by its own account. */
  readonly identity: Identity;
  readonly outcomes: readonly Outcome[];
}

/** Tries things with the identity of a process. */
export async function attackAs(
  pid: number,
  attempts: readonly Attempt[],
  { user, scratch = [] }: AttackerOptions = {},
): Promise<Attack> {
  const program = await readFile(PROGRAM, 'utf8');
  const command = await commandAs(pid, [PERL, '-e', program], user === undefined ? {} : { user });
  const plan = [
    ['self', 'self'],
    ...scratch.map((directory) => ['scratch', '', directory]),
    ...attempts.map(({ verb, words }, index) => [verb, String(index), ...words]),
  ];
  const output = await run(command, plan.map((words) => `${words.map(encodeText).join('\t')}\n`).join(''));
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  if (lines.at(-1)?.[0] !== 'end') throw new Error(`the attacker did not come to its end: ${output.slice(-500)}`);
  const outcomes = attempts.map(() => new Map<string, readonly string[]>());
  for (const [id = '', how = '', ...words] of lines) outcomes[Number(id)]?.set(how, words);
  const own = (how: string) =>
    lines.filter(([id, each]) => id === 'self' && each === how).map((words) => words.slice(2));
  const pairs = (how: string) => Object.fromEntries(own(how).map(([name = '', ...rest]) => [name, rest.join(' ')]));
  return {
    identity: {
      status: rights(pairs('status')),
      namespaces: pairs('namespace'),
      cgroups: own('cgroup').map(([line = '']) => line),
    },
    outcomes,
  };
}

/** Of bytes, so that names in any encoding arrive as they are. */
const encodeText = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      byte < 0x21 || byte > 0x7e || byte === 0x25
        ? `%${byte.toString(16).padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');

function run([command = '', ...words]: readonly string[], input: string): Promise<string> {
  const child = spawn(command, words, { cwd: '/', stdio: 'pipe', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    texts.out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    texts.err += chunk;
  });
  // It may end before it has read everything; its code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(texts.out);
      else reject(new Error(`the attacker ended with ${signal ?? code}: ${texts.err}`));
    });
  });
}
