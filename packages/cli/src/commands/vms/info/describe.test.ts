import { persisted } from '@vireo/api/testing/persisted.ts';
import { vmiWith, vmWith } from '@vireo/extension/testing/vms.ts';
import { describe, expect, it } from 'vitest';
import { summarize } from '../vmSummary.ts';
import { eventsOf, infoText, problemsOf, vmInfo } from './describe.ts';

const event = (uid: string, reason: string, lastTimestamp: string, type = 'Normal') =>
  persisted({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: reason },
    involvedObject: { uid },
    type,
    reason,
    message: `${reason} happened`,
    lastTimestamp,
    count: 2,
  });

describe('what is wrong with a VM', () => {
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
  });
  it.each([
    ['nothing, while it runs', [condition('Ready', 'True', '', '')], []],
    ['nothing, while it is stopped', [condition('Ready', 'False', 'VMINotExists', 'VMI does not exist')], []],
    ['that no node takes it', [condition('PodScheduled', 'False', 'Unschedulable', '0/1 nodes')], ['0/1 nodes']],
    [
      'that it failed',
      [condition('Failure', 'True', 'X', 'no disk'), condition('Ready', 'False', 'X', 'no disk')],
      ['no disk'],
    ],
    ['that it needs a restart', [condition('RestartRequired', 'True', '', '')], ['RestartRequired is True']],
  ])('is %s', (_, conditions, problems) => {
    expect(problemsOf({ vm: vmWith({ status: { conditions } as never }) })).toEqual(problems);
  });
});

it('the last events of a VM and its VMI are shown, the newest last', () => {
  const events = ['05', '03', '04', '01', '02', '06'].map((second) =>
    event(Number(second) % 2 ? 'vm-uid' : 'vmi-uid', `E${second}`, `2026-01-01T00:00:${second}Z`),
  );
  const shown = eventsOf([...events, event('other', 'Other', '2026-01-02T00:00:00Z')], new Set(['vm-uid', 'vmi-uid']));
  expect(shown.map(({ reason }) => reason)).toEqual(['E02', 'E03', 'E04', 'E05', 'E06']);
});

it('the text for people has a line for each fact', () => {
  const pair = {
    vm: vmWith({ runStrategy: 'Always', status: { printableStatus: 'Running' } }),
    vmi: vmiWith({
      conditions: ['AgentConnected'],
      spec: { domain: { devices: {} }, volumes: [{ name: 'root', containerDisk: { image: 'debian:13' } }] },
      status: {
        nodeName: 'n1',
        phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:58:00Z' }],
      },
    }),
  };
  const info = vmInfo({
    pair,
    summary: summarize(pair),
    login: { user: 'ada', key: { publicKey: 'k' }, hasPassword: false },
    snapshots: [],
    events: [event('vmi-uid', 'Started', '2026-01-01T00:59:00Z', 'Warning')],
  });
  expect(infoText(info, new Date('2026-01-01T01:00:00Z')).split('\n')).toEqual([
    'Name:           web',
    'Namespace:      default',
    'State:          Running for 2m',
    'Run strategy:   Always',
    'Created:        2026-01-01T00:00:00Z (60m ago)',
    'Node:           n1',
    'Image:          debian:13',
    'CPUs:           1',
    'Addresses:      10.0.0.2',
    'Guest agent:    connected',
    'Disks:          root: debian:13, lost when the VM stops',
    'Events:         60s   Warning Started: Started happened (2 times)',
    'User:           ada',
    'Connect:        vireo shell web -n default',
    '                vireo exec web -n default -- uname -a',
    '                vireo console web -n default',
  ]);
});
