import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../splitWords.ts';
import { type Block, blocksOf, pages, repository } from './blocks.ts';
import { COMMAND_LANGUAGES, isRun, stepsOf } from './steps.ts';

/** What is in a block that is neither commands nor a manifest. */
const OTHER_LANGUAGES = ['text', 'ini', 'json', 'ts', 'js', 'go', 'Dockerfile'];
const A_COMMAND = /^(\$ |(sudo |bin\/)?(vireo|virtctl|kubectl|npm|curl|docker) )/m;

const blocks = pages.flatMap((page) => blocksOf(page));
const where = ({ page, line }: Block): string => `${page}:${line}`;
const steps = blocks
  .filter(({ language }) => COMMAND_LANGUAGES.includes(language))
  .flatMap((block) => stepsOf(block).map((step) => ({ ...step, where: where(block) })));

describe('every block of a page', () => {
  it('says what is in it', () => {
    const known = [...COMMAND_LANGUAGES, 'yaml', ...OTHER_LANGUAGES];
    expect(blocks.filter(({ language }) => !known.includes(language)).map(where)).toEqual([]);
  });

  it('that holds commands is marked as such', () => {
    const hidden = blocks.filter(({ language, text }) => language === 'text' && A_COMMAND.test(text));
    expect(hidden.map(where)).toEqual([]);
  });

  it('has notes that mean something', () => {
    const idle = blocks.filter((block) => {
      const allowed = block.language === 'yaml' ? ['applied', 'not run', 'run by'] : ['not run', 'run by'];
      const isUsed = (text: string) =>
        block.language === 'yaml' || stepsOf({ ...block }).some(({ excuse }) => excuse?.text === text);
      return block.notes.some(({ kind, text }) => !allowed.includes(kind) || (kind !== 'applied' && !isUsed(text)));
    });
    expect(idle.map(where)).toEqual([]);
  });
});

describe('a command that is not run here', () => {
  const excuses = blocks.flatMap((block) =>
    block.notes.filter(({ kind }) => kind !== 'applied').map((note) => ({ ...note, where: where(block) })),
  );

  it.each(excuses.filter(({ kind }) => kind === 'run by'))('$where is run by $text', ({ text }) => {
    const [file = ''] = text.split(/[ ,]/);
    expect(file).toMatch(/\.test\.(ts|mjs)$/);
    expect(existsSync(join(repository, file)), file).toBe(true);
  });

  it.each(excuses.filter(({ kind }) => kind === 'not run'))('$where has a reason: $text', ({ text }) => {
    const reason = text.replaceAll(/`[^`]*`/g, '');
    expect(reason.split(' ').length).toBeGreaterThan(2);
    for (const [file] of reason.matchAll(/\S+\.test\.ts/g)) expect(existsSync(join(repository, file)), file).toBe(true);
  });

  it('is the exception', () => {
    const run = blocks.filter(isRun).length;
    const notRun = excuses.filter(({ kind }) => kind === 'not run').length;
    expect(notRun).toBeLessThan(run / 4);
  });
});

it('the figures of the front page are those of the benchmarks', () => {
  const figuresOf = (page: string): string | undefined =>
    /^<!-- figures -->\n(.*)\n<!-- end of figures -->$/ms.exec(readFileSync(join(repository, page), 'utf8'))?.[1];
  expect(figuresOf('README.md')).toMatch(/^\| .* \|$/m);
  expect(figuresOf('README.md')).toBe(figuresOf('docs/benchmarks.md'));
});

describe('a command of npm', () => {
  const ofScript = (script: string) =>
    steps
      .map((step) => ({ where: step.where, words: splitWords(step.command.replace(/ +#.*$/, '')) }))
      .filter(({ words }) => words.join(' ').includes(`npm run ${script}`))
      .map((each) => ({
        ...each,
        args: each.words.slice(each.words.indexOf(script) + 1).filter((word) => word !== '--'),
      }));

  it('names a script that there is', async () => {
    const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
    const named = steps.flatMap(({ command }) => [...command.matchAll(/npm run (\S+)/g)].map(([, name]) => name));
    expect(named).not.toEqual([]);
    for (const name of named) expect(Object.keys(manifest.scripts)).toContain(name);
  });

  it('names a benchmark, measurements and options that there are', async () => {
    const { stdout: help } = await promisify(execFile)(process.execPath, [join(repository, 'bench/run.ts'), '--help']);
    for (const { where, args } of ofScript('bench')) {
      const [name = ''] = args[0]?.startsWith('-') ? [] : args;
      const [, measurements = ''] = new RegExp(`^  ${name}: (.*)$`, 'm').exec(help) ?? [];
      if (name) expect(measurements, `${where} ${args}`).not.toBe('');
      for (const [index, arg] of args.entries()) {
        if (arg.startsWith('-')) expect(help, where).toContain(` ${arg} `);
        if (arg === '--only') expect(measurements.split(', '), where).toContain(args[index + 1]);
      }
    }
  });
});
