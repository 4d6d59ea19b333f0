import type { Command } from 'commander';
import { type ConnectionOptions, connectionOptions } from '../vms/connectionOptions.ts';
import { type Candidate, wanted } from './wanted.ts';

/** What the shell scripts do with what they are given, in the numbers of cobra, which kubectl reads too. */
const DIRECTIVES = { files: 0, filesOrVms: 0, nothing: 4, words: 4, names: 4, directories: 16 } as const;

/** Answers a press of Tab: a candidate a line with its description after a tab, then a number that says what else to do. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const want = wanted(program, words);
  const current = words.at(-1) ?? '';
  let candidates: readonly Candidate[] = [];
  if (want.type === 'words') candidates = want.words;
  if (want.type === 'names') {
    const { namesOf } = await import('./names.ts');
    // A server that cannot be asked has nothing to offer; an error in the middle of a line would help nobody.
    const names = await namesOf(want.of, connectionIn(words)).catch((): Candidate[] => []);
    candidates = names.map((each) => ({ ...each, value: want.before + each.value }));
  }
  if (want.type === 'filesOrVms') {
    const { namesOf } = await import('./names.ts');
    const vms = await namesOf('vm', connectionIn(words)).catch((): Candidate[] => []);
    candidates = vms.map((vm) => ({ ...vm, value: `${vm.value}:` }));
  }
  const lines = candidates
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) => (description ? `${value}\t${description.replaceAll('\n', ' ')}` : value));
  console.log([...lines, `:${DIRECTIVES[want.type]}`].join('\n'));
}

/** The options on the line that say which server is meant. */
export function connectionIn(words: readonly string[]): ConnectionOptions {
  const found: Record<string, string> = {};
  for (const option of connectionOptions().filter(({ required, parseArg }) => required && !parseArg)) {
    words.forEach((word, at) => {
      const [flag, value = words[at + 1]] = word.split(/=(.*)/s);
      const isLast = at >= words.length - (word.includes('=') ? 1 : 2);
      if ((flag === option.long || flag === option.short) && value && !isLast) found[option.attributeName()] = value;
    });
  }
  return found;
}
