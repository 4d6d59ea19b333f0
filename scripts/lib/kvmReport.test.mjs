import { expect, it } from 'vitest';
import { hostTable, kvmReport } from './kvmReport.mjs';

const facts = {
  kvm: { isUsable: true, reason: '' },
  probeMs: 210,
  host: { CPU: 'Example 1 | turbo (svm)', kernel: '6.1' },
};
const test = (fullName, status, failureMessages = []) => ({ fullName, status, failureMessages });
const file = (name, assertionResults, changes = {}) => ({
  name: `/src/${name}`,
  status: assertionResults.some(({ status }) => status === 'failed') ? 'failed' : 'passed',
  message: '',
  startTime: 1000,
  endTime: 3500,
  assertionResults,
  ...changes,
});

it('a report names the host, counts the tests of each file, and says what failed and what was skipped', () => {
  const testResults = [
    file('e2e/b.test.ts', [test('b works', 'passed'), test('b fails', 'failed', ['Error: no\n    at x'])]),
    file('e2e/a.test.ts', [test('a works', 'passed'), test('a waits', 'skipped'), test('a later', 'pending')]),
    file('e2e/c.test.ts', [], { status: 'failed', message: 'SyntaxError: odd\nmore' }),
  ];
  expect(kvmReport(facts, { testResults }, '/src', 65_000)).toBe(
    `### Vireo with KVM: 2 passed, 2 failed, 2 skipped in 1 min 5 s

| host | |
|---|---|
| KVM | a guest reached 64-bit mode within 210 ms |
| CPU | Example 1 \\| turbo (svm) |
| kernel | 6.1 |

| tests | passed | failed | skipped | seconds |
|---|--:|--:|--:|--:|
| e2e/a.test.ts | 1 | 0 | 2 | 2.5 |
| e2e/b.test.ts | 1 | 1 | 0 | 2.5 |
| e2e/c.test.ts | 0 | 0 | 0 | 2.5 |

Failed:
- e2e/c.test.ts: SyntaxError: odd
- e2e/b.test.ts: b fails: Error: no

Skipped:
- e2e/a.test.ts: a waits
- e2e/a.test.ts: a later`,
  );
});

it('a host without KVM says what was found', () => {
  const kvm = { isUsable: false, finding: 'missing', reason: '/dev/kvm does not exist' };
  expect(hostTable({ ...facts, kvm })).toContain('| KVM | missing: /dev/kvm does not exist |');
});
