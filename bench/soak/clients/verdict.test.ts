import type { Persisted, UnknownObject } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import type { ClientSoakReport } from './clientSoak.ts';
import { Ledger } from './ledger.ts';
import { findings } from './verdict.ts';

const object = (version: number, fields: object = {}): Persisted<UnknownObject> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: String(version), creationTimestamp: '' },
  ...fields,
});

describe('the ledger', () => {
  const told = (note: (ledger: Ledger) => void, listed: Persisted[]): string[] => {
    const ledger = new Ledger();
    note(ledger);
    return ledger.differences(listed);
  };

  it.each<[string, (ledger: Ledger) => void, Persisted[]]>([
    ['what was acknowledged', (ledger) => ledger.note(object(3)), [object(3)]],
    ['the newest of two answers, whichever came first', (l) => [l.note(object(4)), l.note(object(3))], [object(4)]],
    ['nothing after a deletion', (l) => [l.note(object(3)), l.noteDeleted(object(3))], []],
    [
      'a newer version that a controller wrote',
      (l) => l.note(object(3, { spec: 1 }), { isControlled: true }),
      [object(5, { spec: 1, status: 2 })],
    ],
  ])('is content with %s', (_, note, listed) => {
    expect(told(note, listed)).toEqual([]);
  });

  it.each<[string, (ledger: Ledger) => void, Persisted[], string]>([
    ['is lost', (l) => l.note(object(3)), [], 'ConfigMap n/a: it was acknowledged and is not there'],
    [
      'is older',
      (l) => l.note(object(3)),
      [object(2)],
      'ConfigMap n/a: version 3 was acknowledged, version 2 is stored',
    ],
    [
      'has other contents',
      (l) => l.note(object(3, { data: { a: '1' } })),
      [object(3, { data: { a: '2' } })],
      'ConfigMap n/a: version 3 is not what was acknowledged',
    ],
    [
      'came back',
      (l) => [l.note(object(3)), l.noteDeleted(object(3))],
      [object(3)],
      'ConfigMap n/a: its deletion was acknowledged, and it is there',
    ],
    ['nobody made', () => {}, [object(3)], 'ConfigMap n/a: nobody made it'],
    [
      'has another spec than its user wrote',
      (l) => l.note(object(3, { spec: 1 }), { isControlled: true }),
      [object(5, { spec: 2 })],
      'ConfigMap n/a: its spec is not the acknowledged one',
    ],
  ])('finds an object that %s', (_, note, listed, finding) => {
    expect(told(note, listed)).toEqual([finding]);
  });
});

describe('a soak of clients', () => {
  const report: ClientSoakReport = {
    counts: new Map([['get', 7]]),
    problems: [],
    events: 12,
    before: { usedBytes: 90e6, residentBytes: 200e6, descriptors: 40 },
    after: { usedBytes: 95e6, residentBytes: 260e6, descriptors: 42 },
  };

  it('passes', () => {
    expect(findings(report)).toEqual([]);
  });

  it.each<[string, Partial<ClientSoakReport>, string]>([
    ['a wrong answer', { problems: ['c1, get: 500'] }, 'c1, get: 500'],
    ['connections left open', { after: { ...report.after, descriptors: 90 } }, 'descriptors: 40 before, 90 after'],
    ['memory', { after: { ...report.after, usedBytes: 160e6 } }, 'usedBytes: 90000000 before, 160000000 after'],
    ['idleness', { events: 0 }, 'nothing was done'],
  ])('finds %s', (_, changed, finding) => {
    expect(findings({ ...report, ...changed })).toEqual([finding]);
  });
});
