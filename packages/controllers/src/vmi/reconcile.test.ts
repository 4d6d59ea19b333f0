import type { Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { podWith } from '../testing/pods.ts';
import type { VmiActions } from './act.ts';
import { reconcileVmi, type VmiState } from './reconcile.ts';

const UNFILLED: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', namespace: 'shop', annotations: { [UPLOAD_TARGET]: '' } },
  status: { phase: 'Bound' },
};
/** A launcher that no node has taken, for a hypervisor that the cluster has left. */
const OUTDATED: Persisted<Pod> = {
  ...podWith({ phase: 'Pending' }),
  spec: { containers: [{ name: 'compute', command: ['monitor', '--hypervisor', 'hyperv-layered'] }] },
};

it.each<[what: string, claim: PersistentVolumeClaim | undefined, failure: string]>([
  ['does not exist', undefined, 'FailedPvcNotFound'],
  ['has no data yet', UNFILLED, 'NotAllDVsReady'],
])('a VMI whose launcher is replaced waits on where its claim %s', async (_what, claim, failure) => {
  const written: string[] = [];
  const act: Partial<VmiActions> = {
    replacePod: async () => void written.push('replaced'),
    patchVmi: async (_, { status }) => {
      const { phase, conditions = [] } = status as NonNullable<VmiState['vmi']['status']>;
      written.push(phase ?? 'as before', ...conditions.flatMap(({ reason }) => reason ?? []));
    },
    warn: () => {},
  };
  const disk = { name: 'disk', disk: { bus: 'virtio' } };
  const state: VmiState = {
    vmi: vmiWith(
      { phase: 'Scheduling' },
      {},
      {
        domain: { devices: { disks: [disk] }, memory: { guest: '64Mi' } },
        volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }],
      },
    ),
    pods: [OUTDATED],
    attachments: [],
    waitsForConsumer: () => false,
    disks: { claim: () => claim, dataVolume: () => undefined },
    isReachable: () => false,
    unusableReason: () => undefined,
    backendStorageClaim: undefined,
    hasVm: true,
    nodes: () => [],
    hasNode: () => true,
    config: clusterConfig(undefined),
    heldStarts: undefined,
    now: new Date('2026-01-01T12:00:00Z'),
  };
  await reconcileVmi(state, act as VmiActions, () => undefined);
  expect(written.slice(0, 2)).toEqual(['replaced', 'Pending']);
  expect(written).toContain(failure);
});
