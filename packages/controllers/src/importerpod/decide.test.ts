import type { Persisted, PersistentVolume, PersistentVolumeClaim, Pod } from '@vireo/api';
import {
  IMPORT_CERTIFICATES,
  IMPORT_FATAL,
  IMPORT_SECRET,
  IMPORT_SECRET_HEADERS,
  IMPORT_SOURCE,
  POD_PHASE,
} from '@vireo/api/kinds/cdi/names.ts';
import { LOCAL_PROVISIONER, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { expect, it, test } from 'vitest';
import { decideImporter, type ImporterDecision } from './decide.ts';
import { importerName, importerPod } from './pod.ts';

const metadata = { name: 'disk', namespace: 'shop', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' };
const HTTP = { [IMPORT_SOURCE]: 'http' };
const claim = (annotations: Record<string, string>, phase = 'Bound', more: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...metadata, annotations, ...more },
    status: { phase },
  }) as Persisted<PersistentVolumeClaim>;
const volumeOn = (node: string, provisioner = LOCAL_PROVISIONER) =>
  ({
    metadata: { name: 'v', annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  }) as unknown as Persisted<PersistentVolume>;

const wanting = claim({ ...HTTP, [IMPORT_SECRET]: 'login' });
const podOn = (node: string, of = wanting) =>
  importerPod(of, node, { secrets: ['login'], configMaps: [] }) as Persisted<Pod>;
const stranger = { ...podOn('a'), metadata: { ...podOn('a').metadata, labels: {} } } as Persisted<Pod>;

type Case = [
  title: string,
  claim: Persisted<PersistentVolumeClaim>,
  volume: Persisted<PersistentVolume> | undefined,
  pod: Persisted<Pod> | undefined,
  action: ImporterDecision['action'],
];

test.each<Case>([
  ['an import with a Secret gets one', wanting, volumeOn('a'), undefined, 'create'],
  ['one with certificates too', claim({ ...HTTP, [IMPORT_CERTIFICATES]: 'ca' }), volumeOn('a'), undefined, 'create'],
  ['one that reads nothing does not', claim(HTTP), volumeOn('a'), undefined, 'none'],
  ['before there is a volume', claim({ ...HTTP, [IMPORT_SECRET]: 'x' }, 'Pending'), undefined, undefined, 'none'],
  ['on a volume of others', wanting, volumeOn('a', 'other.io'), undefined, 'none'],
  ['while it is there', wanting, volumeOn('a'), podOn('a'), 'none'],
  ['on another node', wanting, volumeOn('a'), podOn('b'), 'delete'],
  ['of an earlier claim', wanting, volumeOn('a'), podOn('a', claim(HTTP, 'Bound', { uid: 'u-0' })), 'delete'],
  [
    'when all is there',
    claim({ ...wanting.metadata.annotations, [POD_PHASE]: 'Succeeded' }),
    volumeOn('a'),
    podOn('a'),
    'delete',
  ],
  [
    'when it failed for good',
    claim({ ...wanting.metadata.annotations, [IMPORT_FATAL]: 'true' }),
    volumeOn('a'),
    podOn('a'),
    'delete',
  ],
  [
    'when the claim is to go',
    claim({ ...wanting.metadata.annotations }, 'Bound', { deletionTimestamp: 'now' }),
    volumeOn('a'),
    podOn('a'),
    'delete',
  ],
  ['of that name and no importer', wanting, volumeOn('a'), stranger, 'none'],
  ['that is no importer, afterwards', claim(HTTP), volumeOn('a'), stranger, 'none'],
])('an importer pod: %s', (_, of, volume, pod, action) => {
  expect(decideImporter({ claim: of, volume, pod }).action).toBe(action);
});

it('names what the import reads, and nothing else', () => {
  const headers = { [`${IMPORT_SECRET_HEADERS}.0`]: 'b', [`${IMPORT_SECRET_HEADERS}.1`]: 'a', [IMPORT_SECRET]: 'b' };
  const of = claim({ ...HTTP, ...headers, [IMPORT_CERTIFICATES]: 'ca' });
  const decision = decideImporter({ claim: of, volume: volumeOn('a'), pod: undefined });
  expect(decision).toEqual({ action: 'create', node: 'a', objects: { secrets: ['a', 'b'], configMaps: ['ca'] } });
  if (decision.action !== 'create') return;
  expect(importerPod(of, decision.node, decision.objects).spec).toMatchObject({
    nodeName: 'a',
    volumes: [
      {
        projected: {
          sources: [
            { secret: { name: 'a', optional: true } },
            { secret: { name: 'b', optional: true } },
            { configMap: { name: 'ca', optional: true } },
          ],
        },
      },
    ],
  });
});

it('has a name that servers accept', () => {
  expect(importerName(claim({}))).toBe('importer-disk');
  expect(importerName(claim({}, 'Bound', { name: 'x'.repeat(253) }))).toBe('importer-u-1');
});
