import { describe, expect, it } from 'vitest';
import {
  configKeyErrors,
  envNameErrors,
  generateName,
  httpHeaderNameErrors,
  ipErrors,
  label1035Errors,
  labelErrors,
  labelValueErrors,
  type NameRule,
  pathSegmentErrors,
  portNameErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from './names.ts';

const rules: [string, NameRule, string[], string[]][] = [
  ['label', labelErrors, ['a', '0', 'a-b', 'x'.repeat(63)], ['', 'A', '-a', 'a-', 'a.b', 'a\n', 'x'.repeat(64)]],
  ['subdomain', subdomainErrors, ['a', 'a.b-c.d'], ['', '.', 'a..b', 'a.', 'a_b', 'x'.repeat(254), 'a/b']],
  ['DNS-1035 label', label1035Errors, ['a', 'a-1'], ['1a', '', 'a-']],
  ['path segment', pathSegmentErrors, ['a:b', 'A b', '...'], ['.', '..', 'a/b', 'a%b']],
  [
    'qualified name',
    qualifiedNameErrors,
    ['a', 'A_b.c', 'example.com/x'],
    ['', '/', 'a/', '/a', 'a/b/c', 'A.com/x', '-a', 'a b'],
  ],
  ['label value', labelValueErrors, ['', 'a', 'A_b.c'], ['-a', 'a b', 'x'.repeat(64)]],
  ['config key', configKeyErrors, ['a', 'KEY_NAME', '...'.slice(2).concat('a')], ['', '.', '..', '..a', 'a/b']],
  ['environment variable', envNameErrors, ['A', 'my.var-1'], ['', 'a=b', 'é']],
  ['port name', portNameErrors, ['http', 'p-1'], ['', '80', 'Http', 'a--b', '-a', 'a'.repeat(16)]],
  ['header', httpHeaderNameErrors, ['X-A'], ['', 'a b']],
  [
    'IP address',
    ipErrors,
    ['10.0.0.1', '::1', '2001:db8::ffff'],
    ['', '10.0.0', '10.0.0.256', '10.0.0.1.', 'fe80::1%eth0', 'x', '1:2'],
  ],
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
      labelErrors('A'),
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    [
      subdomainErrors('A'),
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    [subdomainErrors('x'.repeat(254)), 'must be no more than 253 characters'],
    [
      labelValueErrors('-'),
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [qualifiedNameErrors('/a'), 'prefix part must be non-empty'],
    [qualifiedNameErrors(''), 'name part must be non-empty'],
    [pathSegmentErrors('..'), "may not be '..'"],
    [pathSegmentErrors('a/b'), "may not contain '/'"],
  ])('%j', ([first], text) => {
    expect(first).toBe(text);
  });

  it('a prefix may end in a dash', () => {
    expect(labelErrors('web-', true)).toEqual([]);
    expect(labelErrors('web-')).not.toEqual([]);
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
