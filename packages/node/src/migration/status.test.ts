import { ConnectionError } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { UID, vmiIn } from '../testing/objects.ts';
import { ABORTED } from './copyWatch.ts';
import type { HandedOver } from './role.ts';
import { failureAt, listeningStatus, whyFailed } from './status.ts';

const migration: HandedOver = {
  migrationUid: 'm',
  sourceNode: 'a',
  targetNode: 'b',
  targetPod: 'to',
  targetState: { attachmentPodUID: 'plugged' },
};
const vmi = { ...vmiIn('Running'), status: { phase: 'Running', migrationState: migration } };
const place = { node: 'b', pod: 'to', address: '192.0.2.2', port: 49_152 };

it('the target of a migration says where it listens, and keeps what was said of it', () => {
  expect(listeningStatus(vmi, migration, place).migrationState).toEqual({
    ...migration,
    targetNodeAddress: '192.0.2.2',
    targetDirectMigrationNodePorts: { 49152: 0 },
    migrationNetworkType: 'Pod',
    targetState: {
      attachmentPodUID: 'plugged',
      node: 'b',
      pod: 'to',
      migrationUID: 'm',
      nodeAddress: '192.0.2.2',
      directMigrationNodePorts: { 49152: 0 },
      domainName: 'web',
      domainNamespace: 'shop',
      virtualMachineInstanceUID: UID,
    },
  });
});

it('the target says which CPUs a guest gets that has some to itself', () => {
  const topology = {
    cells: [
      {
        id: 0,
        cores: [
          [0, 2],
          [1, 3],
        ],
      },
    ],
  };
  const state = listeningStatus(vmi, migration, { ...place, dedicated: { cpus: [1, 3], topology } }).migrationState;
  expect(state).toMatchObject({ targetCPUSet: [1, 3], targetState: { cpuSet: [1, 3] } });
  expect(JSON.parse(state?.targetNodeTopology ?? '')).toEqual({
    numaCells: [
      {
        id: 0,
        cpus: [
          { id: 0, siblings: [0, 2] },
          { id: 2, siblings: [0, 2] },
          { id: 1, siblings: [1, 3] },
          { id: 3, siblings: [1, 3] },
        ],
      },
    ],
  });
  expect(state?.targetState?.nodeTopology).toBe(state?.targetNodeTopology);
});

it.each([
  [
    'a daemon',
    new ConnectionError('it closed the connection'),
    'libvirtd of node a has ended, or does not answer: it closed the connection',
  ],
  ['all else', new Error('no space'), 'no space'],
])('the end of %s is told as such', (_, error, text) => {
  expect(failureAt('a', error)).toBe(text);
});

it.each<[string, more: object, reason: string]>([
  ['what went wrong', {}, 'no space'],
  ['that it was aborted', { abortRequested: true }, ABORTED],
  ['that its target was given up', { abortRequested: true, failureReason: 'b is off' }, 'b is off'],
])('a migration that fails says %s', (_, more, reason) => {
  const state = { ...migration, startTimestamp: '2026-01-01T00:00:00Z', ...more };
  const moving = { ...vmi, status: { ...vmi.status, nodeName: 'a', migrationState: state } };
  expect(whyFailed(moving, state, 'no space')).toBe(reason);
});
