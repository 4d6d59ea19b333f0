import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadPattern, compilePattern, type Pattern } from './pattern.ts';

/** The pattern; fails where it is none. */
function compiled(source: string): Pattern {
  const pattern = compilePattern(source);
  if (pattern instanceof BadPattern) throw new Error(`${source}: ${pattern.message}`);
  return pattern;
}

describe('compilePattern', () => {
  it.each<[string, string[], string[]]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b', '0'], ['', 'A', 'a-', '-a']],
    ['abc', ['xabcx'], ['ab']],
    ['', ['', 'x'], []],
    ['^(a|bc|)$', ['a', 'bc', ''], ['b']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{2}$', ['aa'], ['a', 'aaa']],
    ['^a{2,}$', ['aa', 'aaaaa'], ['a']],
    ['^a{,2}$', ['a{,2}'], ['a']],
    ['^(?i)ab(?-i)c$', ['ABc', 'abc'], ['abC']],
    ['^(?i:a)b$', ['Ab'], ['AB']],
    ['^(?:a)(?P<name>b)(?<other>c)$', ['abc'], ['ab']],
    ['^[[:alpha:]_][[:^space:]]*$', ['a1', '_'], ['1', 'a b']],
    ['^\\d+\\.\\w+\\s\\S$', ['1.a b'], ['1a b']],
    ['^\\pL\\p{Greek}\\P{N}$', ['éαx'], ['1αx', 'éax', 'éα1']],
    ['^\\x41\\x{1F600}$', ['A😀'], ['A']],
    ['^.$', ['😀', 'a'], ['\n', 'ab']],
    ['(?s)^.$', ['\n'], ['']],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['\\bfoo\\b', ['a foo'], ['afoo']],
    ['^\\Qa.b\\E$', ['a.b'], ['axb']],
    ['^[]a-]+$', [']-a'], ['b']],
    ['^[^\\]\\\\]$', ['a'], [']', '\\']],
    ['^(a*)*$', ['', 'aaa'], ['b']],
    ['^a+?b*?$', ['a', 'ab'], ['b']],
    ['\\Aab\\z', ['ab'], ['xab', 'ab\n']],
  ])('%s', (source, good, bad) => {
    const pattern = compiled(source);
    for (const text of good) expect(pattern.test(text), text).toBe(true);
    for (const text of bad) expect(pattern.test(text), text).toBe(false);
  });

  it.each([
    '(',
    ')',
    '[a',
    '*a',
    'a**',
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '\\',
    '\\y',
    '[b-a]',
    '[[:nope:]]',
    'a{1001}',
    'a{3,2}',
    '\\p{Nope}',
    '((a{100}){100}){100}',
    '('.repeat(500),
    'a{1000}'.repeat(100),
    `(${'ab'.repeat(500)}){500}`,
    'a|b'.repeat(5000),
    '\\pL'.repeat(500),
  ])('refuses %s', (source) => {
    expect(compilePattern(source)).toBeInstanceOf(BadPattern);
  });

  it('takes no longer for patterns that make others backtrack', () => {
    const text = `${'a'.repeat(5000)}!`;
    for (const source of ['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '^([a-z]+.)+[A-Z]$']) {
      expect(compiled(source).test(text)).toBe(false);
    }
  });

  it.each<[string, boolean]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', true],
    ['^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.)*[a-z]{2,63}$', true],
    ['^sha256:[a-f0-9]{64}$', true],
    ['^.{1,253}$', true],
    ['[abq]*a[abq]{30}[^q]$', false],
    ['.{1000}', false],
  ])('the work of %s is a look-up a character: %s', (source, isTame) => {
    const work = compiled(source).testWork('a'.repeat(999));
    expect(work / 1000 <= 2).toBe(isTame);
  });

  it('law: agrees with JavaScript where both know the syntax', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\b', '^', '$', '(?:ab)', '(a|b)', '1');
    const part = fc
      .tuple(atom, fc.constantFrom('', '', '?', '*', '+', '{1,2}'))
      .map(([x, times]) => (/^(\^|\$|\\b)$/.test(x) ? x : x + times));
    const source = fc.array(fc.oneof(part, fc.constant('|')), { maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        source,
        fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n'), maxLength: 8 }),
        (expression, text) => {
          expect(compiled(expression).test(text)).toBe(new RegExp(expression, 'u').test(text));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('law: any text is compiled or refused', () => {
    const unit = fc.constantFrom(
      'a',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '?',
      '*',
      '+',
      '|',
      '\\',
      '^',
      '$',
      ':',
      'p',
      'P',
      '<',
      '1',
      ',',
      '-',
      '😀',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (source) => {
        const pattern = compilePattern(source);
        if (!(pattern instanceof BadPattern)) pattern.test('a1-😀');
      }),
      { numRuns: 1000 },
    );
  });
});
