import { expect, it } from 'vitest';
import { Ledger } from './ledger.ts';

it('holds what was acknowledged against what is there', () => {
  const ledger = new Ledger();
  ledger.note('a', { exists: true, runs: true }, 'acknowledged');
  expect(ledger.contradictions('a', { exists: true, runs: true })).toEqual([]);
  expect(ledger.contradictions('a', { exists: true, runs: false })).toEqual([
    'a: runs was acknowledged as true, and is false',
  ]);
  expect(ledger.contradictions('a', { exists: false })).toEqual(['a: exists was acknowledged as true, and is false']);
  expect(ledger.contradictions('b', { exists: true })).toEqual(['b: exists was acknowledged as false, and is true']);
});

it('relies on nothing that a lost answer may have changed', () => {
  const ledger = new Ledger();
  ledger.note('a', { exists: true, runs: true }, 'acknowledged');
  ledger.note('a', { runs: false }, 'unknown');
  expect(ledger.get('a')).toEqual({ exists: true });
  ledger.note('a', { exists: false }, 'unknown');
  expect(ledger.contradictions('a', { exists: false })).toEqual([]);
  expect(ledger.contradictions('a', { exists: true, runs: true })).toEqual([]);
});

it('takes a refusal for what it is', () => {
  const ledger = new Ledger();
  ledger.note('a', { exists: true }, 'refused');
  expect(ledger.get('a')).toEqual({ exists: false });
});

it('knows nothing of what the server changes at a moment of its own, until it is learnt', () => {
  const ledger = new Ledger();
  ledger.note('a', { exists: true, runs: true }, 'acknowledged');
  ledger.blur('a');
  ledger.note('a', { runs: true }, 'acknowledged');
  expect(ledger.contradictions('a', { exists: false })).toEqual([]);
  ledger.learn('a', { exists: true, runs: false });
  expect(ledger.contradictions('a', { exists: true, runs: true })).toEqual([
    'a: runs was acknowledged as false, and is true',
  ]);
});
