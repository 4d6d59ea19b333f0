import { describe, expect, it } from 'vitest';
import { type Block, blocksOf } from './blocks.ts';
import { commandsOf, stepsOf } from './steps.ts';

const block = (...lines: string[]): Block => {
  const [first] = blocksOf('a page', lines.join('\n'));
  if (!first) throw new Error('no block');
  return first;
};

describe('blocks', () => {
  it('are found with their language, their line and the notes above them', () => {
    const page = [
      'words',
      '```sh',
      'vireo status',
      '```',
      '<!-- not run: needs a screen -->',
      '',
      '```console',
      '$ vireo vnc web',
      '```',
      '<!-- run by: e2e/x.test.ts -->',
      'words in between',
      '  ```',
      '  text',
      '  ```',
    ].join('\n');
    expect(blocksOf('a page', page)).toEqual([
      { page: 'a page', line: 2, language: 'sh', text: 'vireo status\n', notes: [] },
      {
        page: 'a page',
        line: 7,
        language: 'console',
        text: '$ vireo vnc web\n',
        notes: [{ kind: 'not run', text: 'needs a screen' }],
      },
      { page: 'a page', line: 12, language: '', text: 'text\n', notes: [] },
    ]);
  });

  it('that are not closed are refused', () => {
    expect(() => blocksOf('a page', '```sh\nvireo status')).toThrow('a page:1 opens a block that nothing closes');
  });
});

describe('commands', () => {
  it('go on after a backslash, a pipe, with an indented line and to the end of a here-document', () => {
    const script = [
      '# a comment',
      'one \\',
      '  --more',
      '',
      'two |',
      '  three',
      'kubectl apply -f - <<END',
      'kind: A',
      '',
      'END',
      'four',
    ];
    expect(commandsOf(script.join('\n'))).toEqual([
      'one \\\n  --more',
      'two |\n  three',
      'kubectl apply -f - <<END\nkind: A\n\nEND',
      'four',
    ]);
  });

  it('of a console have the output below them', () => {
    const lines = ['```console', '$ one', '  indented', 'more', '$ two \\', '  three', '$ four', '```'];
    expect(stepsOf(block(...lines))).toEqual([
      { command: 'one', output: '  indented\nmore' },
      { command: 'two \\\n  three' },
      { command: 'four' },
    ]);
  });

  it('are excused by a note for the whole block, or by their words', () => {
    const excuse = { kind: 'not run', text: '`npm test` is what runs this' };
    const one = block(`<!-- not run: ${excuse.text} -->`, '```sh', 'npm start', 'npm test # all', '```');
    expect(stepsOf(one)).toEqual([{ command: 'npm start' }, { command: 'npm test # all', excuse }]);
    const all = stepsOf(block('<!-- run by: a.test.ts -->', '```sh', 'one', 'two', '```'));
    expect(all.map(({ excuse: each }) => each?.text)).toEqual(['a.test.ts', 'a.test.ts']);
  });

  it('without a prompt are no console', () => {
    expect(() => stepsOf(block('```console', 'vireo status', '```'))).toThrow('begins with a prompt');
  });
});
