import { forbidden, type Pod } from '@vireo/api';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { clusterConfig, launcherResources } from '@vireo/hypervisor';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import type { VmiActions } from './act.ts';
import { isResizeRefused, mayResize, resizedLauncher, resizeLauncher } from './resizeLauncher.ts';

const context = { config: clusterConfig(undefined), now: new Date('2026-01-01T00:00:00Z') };
const vmi = (sockets: number, guest: string, status: VmiStatus = {}) =>
  vmiWith({ phase: 'Running', ...status }, {}, { domain: { devices: {}, cpu: { sockets }, memory: { guest } } });
const changing = (reason?: string): VmiStatus => ({
  conditions: [{ type: 'HotMemoryChange', status: 'True', ...(reason && { reason }) }],
});
const launcherOf = (of: ReturnType<typeof vmi>) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'virt-launcher-web', uid: 'pod' },
    spec: { containers: [{ name: 'compute', resources: launcherResources(of, context.config) }] },
  });
const acting = (resizePod: VmiActions['resizePod']) => ({ resizePod }) as VmiActions;

it('a launcher requests what its guest is about to get, and keeps what its guest still has', () => {
  const pod = launcherOf(vmi(1, '1Gi'));
  expect(resizedLauncher(vmi(1, '1Gi'), pod, context.config)).toBeUndefined();
  const grown = resizedLauncher(vmi(3, '2Gi'), pod, context.config);
  expect(grown?.requests).toEqual(
    expect.objectContaining({ cpu: '300m', memory: launcherResources(vmi(3, '2Gi'), context.config).requests.memory }),
  );
  const shrinking = vmi(1, '1Gi', { memory: { guestCurrent: '2Gi' } });
  expect(resizedLauncher(shrinking, launcherOf(vmi(1, '2Gi')), context.config)).toBeUndefined();
});

it.each<[boolean, string, VmiStatus]>([
  [false, 'nothing changes', {}],
  [true, 'a change was asked for', changing()],
  [true, 'a change was refused before', changing('LauncherResizeRefused')],
  [true, 'the guest has given memory back', changing('Released')],
  [false, 'its node has to act', changing('LauncherResized')],
  [false, 'it is about to move', { ...changing(), migrationState: { migrationUid: 'm' } }],
])('%s: %s', (may, _, status) => {
  expect(mayResize(vmi(1, '1Gi', status))).toBe(may);
});

it('the node hears that the launcher was resized', async () => {
  const resized: unknown[] = [];
  const growing = vmi(1, '2Gi', changing());
  const act = acting(async (_, resources) => void resized.push(resources.requests.memory));
  const status = await resizeLauncher(growing, launcherOf(vmi(1, '1Gi')), growing.status ?? {}, context, act);
  expect(resized).toEqual([launcherResources(growing, context.config).requests.memory]);
  expect(status.conditions).toMatchObject([{ type: 'HotMemoryChange', status: 'True', reason: 'LauncherResized' }]);
});

it('a quota that is used up is a reason to try again', async () => {
  const growing = vmi(1, '2Gi', changing());
  const act = acting(() => Promise.reject(forbidden({ group: '', resource: 'pods' }, 'p', 'exceeded quota: q')));
  const status = await resizeLauncher(growing, launcherOf(vmi(1, '1Gi')), growing.status ?? {}, context, act);
  expect(isResizeRefused(status)).toBe(true);
  expect(status.conditions?.[0]?.message).toContain('exceeded quota: q');
});

it('a change that is over leaves no condition', async () => {
  const given = vmi(1, '1Gi', changing('Released'));
  const act = acting(async () => {});
  expect((await resizeLauncher(given, launcherOf(vmi(1, '2Gi')), given.status ?? {}, context, act)).conditions).toEqual(
    [],
  );
});
