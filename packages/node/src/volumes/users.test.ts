import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Informer } from '@vireo/kube';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { ClaimUsers } from './users.ts';

const KEY = 'default/disk';

const vmi = (name: string, node: string, phase: string, created: string, readOnly = false): Vmi => {
  const base = vmiIn(phase);
  return {
    ...base,
    metadata: { ...base.metadata, name, uid: name, namespace: 'default', creationTimestamp: created },
    spec: {
      ...base.spec,
      domain: { ...base.spec.domain, devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] } },
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'disk', readOnly } }],
    },
    status: { ...base.status, phase, nodeName: node },
  };
};
const usersOn = (node: string, vmis: readonly Vmi[], domains: readonly string[] = []) =>
  new ClaimUsers({ byIndex: () => vmis } as unknown as Informer<Vmi>, (uid) => domains.includes(uid), node);

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-02T00:00:00Z';

it.each<[string, Vmi, Vmi, boolean, string | undefined]>([
  [
    'a guest that runs elsewhere',
    vmi('own', 'a', 'Scheduled', EARLY),
    vmi('other', 'b', 'Running', LATE),
    false,
    'other',
  ],
  [
    'an older VMI that is about to start',
    vmi('own', 'a', 'Scheduled', LATE),
    vmi('other', 'b', 'Scheduled', EARLY),
    false,
    'other',
  ],
  [
    'no younger VMI that is about to start',
    vmi('own', 'a', 'Scheduled', EARLY),
    vmi('other', 'b', 'Scheduled', LATE),
    false,
    undefined,
  ],
  [
    'a guest of a node that is unreachable',
    vmi('own', 'a', 'Scheduled', EARLY),
    vmi('other', 'b', 'Unknown', LATE),
    false,
    'other',
  ],
  [
    'no guest that has ended',
    vmi('own', 'a', 'Scheduled', LATE),
    vmi('other', 'b', 'Succeeded', EARLY),
    false,
    undefined,
  ],
  [
    'no reader, for a reader',
    vmi('own', 'a', 'Scheduled', LATE, true),
    vmi('other', 'b', 'Running', EARLY, true),
    true,
    undefined,
  ],
  [
    'a writer, for a reader',
    vmi('own', 'a', 'Scheduled', LATE, true),
    vmi('other', 'b', 'Running', EARLY),
    true,
    'other',
  ],
])('before a disk on two nodes is opened comes %s', (_, own, other, isReadOnly, expected) => {
  expect(usersOn('a', [own, other]).firstElsewhere(KEY, own, isReadOnly)?.metadata.name).toBe(expected);
});

it('of two VMIs that start at once on two nodes, both nodes let the same one begin', () => {
  const [one, two] = [vmi('one', 'a', 'Scheduled', EARLY), vmi('two', 'b', 'Scheduled', EARLY)];
  expect(usersOn('a', [one, two]).firstElsewhere(KEY, one, false)).toBeUndefined();
  expect(usersOn('b', [one, two]).firstElsewhere(KEY, two, false)).toBe(one);
});

it('a guest that runs elsewhere writes to a claim, for whoever copies or exports it', () => {
  const running = vmi('other', 'b', 'Running', EARLY);
  expect(usersOn('a', [running]).writer(KEY)).toBe(running);
});
