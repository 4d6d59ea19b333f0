import { describe, expect, it } from 'vitest';
import { skippedText } from './skippedTests.mjs';

describe('what did not run', () => {
  it('is told by its reason', () => {
    const why = 'ip link add: Unknown device type';
    const skipped = [
      { file: 'a.test.ts', name: 'two nodes', count: 11, why },
      { file: 'b.test.ts', name: 'a bridge is left', count: 1, why: 'it needs root' },
      { file: 'c.test.ts', name: 'keys', count: 1, why },
    ];
    expect(skippedText(skipped)).toBe(`Not run on this host:
  ip link add: Unknown device type:
    a.test.ts: two nodes (11 tests)
    c.test.ts: keys
  it needs root:
    b.test.ts: a bridge is left`);
  });

  it('is not mentioned if everything ran', () => {
    expect(skippedText([])).toBe('');
  });
});
