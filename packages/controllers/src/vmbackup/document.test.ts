import { describe, expect, it } from 'vitest';
import { asBackupDocument } from './document.ts';

const document = {
  metadata: { namespace: 'shop', name: 'monday' },
  spec: { source: { kind: 'VirtualMachine', name: 'web' } },
  status: { sourceUID: 'u-1', volumeBackups: [] },
  volumes: {},
  secrets: [{ name: 'password', type: 'Opaque', data: { key: 'b2xk' } }],
  revisions: [],
};

describe('a document at the target', () => {
  it('of an earlier version has no ConfigMaps and KeyPairs', () => {
    expect(asBackupDocument(document)).toEqual({ ...document, configMaps: [], keyPairs: [] });
  });

  it('has those that it names', () => {
    const configMaps = [{ name: 'settings', data: {} }];
    expect(asBackupDocument({ ...document, configMaps })).toMatchObject({ configMaps, secrets: document.secrets });
  });

  it.each<[what: string, part: object]>([
    ['Secrets that are no list', { secrets: {} }],
    ['a ConfigMap without a name', { configMaps: [{ data: {} }] }],
    ['a ConfigMap that is none', { configMaps: [null] }],
    ['no source', { spec: {} }],
    ['no revisions', { revisions: undefined }],
    ['a revision that is none', { revisions: [null] }],
  ])('with %s is none', (_, part) => {
    expect(asBackupDocument({ ...document, ...part })).toBeUndefined();
  });
});
