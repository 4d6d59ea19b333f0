import type { ObjectMeta, Pod } from '@vireo/api';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith } from '../testing/objects.ts';
import { LAUNCHER_IMAGE } from '../vmi/launcherPod.ts';
import {
  decideUpdates,
  isAborted,
  isDeployed,
  isUpdated,
  needsUpdate,
  type UpdateState,
  updateStrategyOf,
} from './decide.ts';

const running = (status: VmiStatus = {}, metadata: ObjectMeta = {}): Vmi =>
  vmiWith({ phase: 'Running', launcherContainerImageVersion: LAUNCHER_IMAGE, ...status }, metadata);
const condition = (type: string, reason?: string) => ({ type, status: 'True', ...(reason && { reason }) });
const old = { launcherContainerImageVersion: 'vireo/virt-launcher:old' };
const fixed = running(old);
const mobile = running({ ...old, conditions: [condition('LiveMigratable')] });

const volumes = { migratedVolumes: [{ volumeName: 'data' }] };
const changing = running({
  ...volumes,
  conditions: [condition('VolumesChange'), condition('StorageLiveMigratable')],
});
const stuck = running({ ...volumes, conditions: [condition('VolumesChange')] });

it.each<[string, Vmi, boolean]>([
  ['of the current launcher', running(), false],
  ['of an older launcher', fixed, true],
  ['of a launcher that nobody has told of', running({ launcherContainerImageVersion: '' }), false],
  ['with more processors to come', running({ conditions: [condition('HotVCPUChange')] }), false],
  ['with more memory to come', running({ conditions: [condition('HotMemoryChange', 'LauncherResized')] }), false],
  [
    'with processors for which its node has no room',
    running({ conditions: [condition('HotVCPUChange', 'InsufficientNodeResources')] }),
    true,
  ],
  [
    'with memory for which its launcher cannot be resized',
    running({ conditions: [condition('HotMemoryChange', 'LauncherResizeRefused')] }),
    true,
  ],
  ['with other volumes to come', running({ conditions: [condition('VolumesChange')] }), true],
  ['that has to migrate', running({ conditions: [condition('MigrationRequired')] }), true],
  ['that has ended', running({ ...old, phase: 'Failed' }), false],
  ['that goes', running(old, deleting), false],
])('a VMI %s', (_, vmi, expected) => {
  expect(needsUpdate(vmi)).toBe(expected);
});

it('a guest is up to date again once a migration has brought it to a launcher of today', () => {
  const launcherOf = (image: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'virt-launcher-web' },
    spec: { containers: [{ name: 'compute', image }] },
  });
  expect(isUpdated(fixed, launcherOf(LAUNCHER_IMAGE))).toBe(true);
  expect(isUpdated(fixed, launcherOf('vireo/virt-launcher:old'))).toBe(false);
  expect(isUpdated(fixed, undefined)).toBe(false);
  expect(isUpdated(running(), launcherOf(LAUNCHER_IMAGE))).toBe(false);
});

it('the strategy of an installation has KubeVirt’s defaults', () => {
  expect(updateStrategyOf({ spec: {} })).toEqual({
    migrates: false,
    evicts: false,
    batchSize: 10,
    batchIntervalMs: 60_000,
  });
  const workloadUpdateStrategy = {
    workloadUpdateMethods: ['Evict'],
    batchEvictionSize: 2,
    batchEvictionInterval: '1m30s',
  };
  expect(updateStrategyOf({ spec: { workloadUpdateStrategy } })).toEqual({
    migrates: false,
    evicts: true,
    batchSize: 2,
    batchIntervalMs: 90_000,
  });
});

it('an installation that is being updated is left alone', () => {
  const versions = { observedKubeVirtVersion: 'v1', targetKubeVirtVersion: 'v1' };
  expect(isDeployed({ status: { phase: 'Deployed', ...versions } })).toBe(true);
  expect(isDeployed({ status: { phase: 'Deployed', ...versions, targetKubeVirtVersion: 'v2' } })).toBe(false);
  expect(isDeployed({})).toBe(false);
});

describe('of guests that are not up to date', () => {
  const BOTH = { migrates: true, evicts: true, batchSize: 2, batchIntervalMs: 60_000 };
  const decided = (outdated: readonly Vmi[], more: Partial<UpdateState> = {}) => {
    const { migrations, evictions, nextBatchMs } = decideUpdates({
      outdated,
      isUnderWay: () => false,
      strategy: BOTH,
      freeMigrations: 2,
      lastEvictionMs: 0,
      nowMs: 100_000,
      ...more,
    });
    return [migrations.length, evictions.length, nextBatchMs];
  };

  it.each<[string, readonly Vmi[], Partial<UpdateState>, (number | undefined)[]]>([
    [
      'nothing becomes without a method',
      [mobile, fixed],
      { strategy: updateStrategyOf({ spec: {} }) },
      [0, 0, undefined],
    ],
    ['those that can move migrate, others are evicted', [mobile, fixed], {}, [1, 1, undefined]],
    ['only as many migrate as may', [mobile, mobile, mobile], {}, [2, 0, undefined]],
    ['none migrates where too many do', [mobile], { freeMigrations: -1 }, [0, 0, undefined]],
    ['those that migrate are left alone', [mobile, fixed], { isUnderWay: () => true }, [0, 0, undefined]],
    [
      'one that can move is evicted where none migrates',
      [mobile],
      { strategy: { ...BOTH, migrates: false } },
      [0, 1, undefined],
    ],
    [
      'one whose volumes move to other claims migrates without a method',
      [changing],
      { strategy: updateStrategyOf({ spec: {} }) },
      [1, 0, undefined],
    ],
    ['one whose volumes cannot move now is not evicted', [stuck], {}, [0, 0, undefined]],
    ['the rest of a batch waits', [fixed, fixed, fixed], {}, [0, 2, 160_000]],
    ['the next batch waits', [fixed], { lastEvictionMs: 90_000 }, [0, 0, 150_000]],
    ['the next batch comes', [fixed], { lastEvictionMs: 40_000 }, [0, 1, undefined]],
  ])('%s', (_, outdated, more, expected) => {
    expect(decided(outdated, more)).toEqual(expected);
  });
});

it.each<[string, Vmi, boolean]>([
  ['goes on while the change is there', mobile, false],
  ['is called off where the change was taken back', running(), true],
  ['goes on while the node of the guest is silent', running({ ...old, phase: 'Unknown' }), false],
  ['is called off where the change was taken back while the node is silent', running({ phase: 'Unknown' }), true],
  ['goes on once the guest has arrived', running({ migrationState: { migrationUid: 'm', completed: true } }), false],
  ['is called off whatever came of another', running({ migrationState: { migrationUid: 'n', completed: true } }), true],
  ['is not called off for a guest that has ended', running({ phase: 'Failed' }), false],
  [
    'is called off where a test says so',
    running(old, { annotations: { 'kubevirt.io/testWorkloadUpdateMigrationAbortion': '' } }),
    true,
  ],
])('a migration that brings a guest up to date %s', (_, vmi, expected) => {
  expect(isAborted(vmi, 'm')).toBe(expected);
});
