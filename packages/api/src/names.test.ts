import { describe, expect, it } from 'vitest';
import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  generateName,
  labelValueErrors,
  type NameRule,
  pathSegment,
  qualifiedNameErrors,
} from './names.ts';

const rules: [string, NameRule, string[], string[]][] = [
  ['label', dnsLabel, ['a', '0', 'a-b', 'x'.repeat(63)], ['', 'A', '-a', 'a-', 'a.b', 'a\n', 'x'.repeat(64)]],
  ['subdomain', dnsSubdomain, ['a', 'a.b-c.d'], ['', '.', 'a..b', 'a.', 'a_b', 'x'.repeat(254), 'a/b']],
  ['DNS-1035 label', dns1035Label, ['a', 'a-1'], ['1a', '', 'a-']],
  ['path segment', pathSegment, ['a:b', 'A b', '...'], ['.', '..', 'a/b', 'a%b']],
  [
    'qualified name',
    qualifiedNameErrors,
    ['a', 'A_b.c', 'example.com/x'],
    ['', '/', 'a/', '/a', 'a/b/c', 'A.com/x', '-a', 'a b'],
  ],
  ['label value', labelValueErrors, ['', 'a', 'A_b.c'], ['-a', 'a b', 'x'.repeat(64)]],
];

describe.each(rules)('%s', (_, rule, good, bad) => {
  it.each(good)('takes %j', (name) => {
    expect(rule(name)).toEqual([]);
  });
  it.each(bad)('refuses %j', (name) => {
    expect(rule(name)).not.toEqual([]);
  });
});

describe('messages', () => {
  it.each([
    [
      dnsLabel('A'),
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    [
      dnsSubdomain('A'),
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    [dnsSubdomain('x'.repeat(254)), 'must be no more than 253 characters'],
    [
      labelValueErrors('-'),
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [qualifiedNameErrors('/a'), 'prefix part must be non-empty'],
    [qualifiedNameErrors(''), 'name part must be non-empty'],
    [pathSegment('..'), "may not be '..'"],
    [pathSegment('a/b'), "may not contain '/'"],
  ])('%j', ([first], text) => {
    expect(first).toBe(text);
  });

  it('a prefix may end in a dash', () => {
    expect(dnsLabel('web-', true)).toEqual([]);
    expect(dnsLabel('web-')).not.toEqual([]);
  });
});

describe('generateName', () => {
  it('adds five characters to at most 58', () => {
    expect(generateName('web-')).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generateName('x'.repeat(100))).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generateName('a', () => 0)).toBe('abbbbb');
    expect(generateName('a', () => 0.9999)).toBe('a99999');
  });
});
