import type { ObjectMeta, Persisted, PersistentVolumeClaim, Pod } from '@vireo/api';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith } from '../testing/objects.ts';
import { podWith } from '../testing/pods.ts';
import { type AttachmentOptions, attachmentPod } from './attachmentPod.ts';
import { attachmentPlan } from './attachments.ts';

const LAUNCHER: Persisted<Pod> = {
  ...podWith({ phase: 'Running' }),
  spec: { nodeName: 'node-1', tolerations: [{ key: 'lab', operator: 'Exists' }], containers: [] },
};

type Claims = Readonly<Record<string, 'bound' | 'unfilled' | 'unbound' | 'waits' | 'leaving' | 'gone'>>;

const claim = (name: string, state: Claims[string]): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name,
    namespace: 'shop',
    ...(state === 'leaving' && deleting),
    ...(state === 'unfilled' && { annotations: { [UPLOAD_TARGET]: '' } }),
  },
  spec: {
    storageClassName: state === 'waits' ? 'local-wait' : 'local',
    ...(!['unbound', 'waits'].includes(state) && { volumeName: `pv-${name}` }),
  },
  status: { phase: ['unbound', 'waits'].includes(state) ? 'Pending' : 'Bound' },
});

/** A guest that is to have claims plugged in, each as a volume of its name; `inside`: what the node says that it has. */
const guest = (wanted: readonly string[], inside: readonly string[] = [], metadata: ObjectMeta = {}): Vmi =>
  vmiWith(
    {
      phase: 'Running',
      volumeStatus: inside.map((name) => ({
        name,
        target: 'sda',
        phase: 'Ready',
        hotplugVolume: {},
        persistentVolumeClaimInfo: { claimName: name },
      })),
    },
    metadata,
    { volumes: wanted.map((name) => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } })) },
  );

const pod = (
  names: string,
  { phase = 'Running', metadata = {}, ...options }: AttachmentOptions & { phase?: string; metadata?: object } = {},
): Persisted<Pod> => {
  const draft = attachmentPod(
    LAUNCHER,
    names.split(' ').map((name) => ({ volume: name, claim: name })),
    options,
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...draft,
    metadata: { ...draft.metadata, name: `hp-${names}`, ...metadata },
    status: { phase },
  } as Persisted<Pod>;
};

const plan = (
  vmi: Vmi,
  attachments: readonly Persisted<Pod>[],
  claims: Claims,
  launcher: Persisted<Pod> | undefined = LAUNCHER,
) => {
  const { attach, bind, remove } = attachmentPlan({
    vmi,
    launcher,
    attachments,
    claim: (name) => (claims[name] && claims[name] !== 'gone' ? claim(name, claims[name]) : undefined),
    waitsForConsumer: ({ spec }) => spec?.storageClassName === 'local-wait',
  });
  return [
    attach ? `attach ${attach.map((each) => each.claim).join(' ')}` : [],
    bind.map((each) => `bind ${each.claim}`),
    remove.map(({ metadata }) => `remove ${metadata.name}`),
  ].flat();
};

const bound = { a: 'bound', b: 'bound' } as const;

describe('attachment pods', () => {
  it.each<[string, Vmi, Persisted<Pod>[], Claims, string[]]>([
    ['nothing plugged in takes none', guest([]), [], {}, []],
    ['one pod names all that is plugged in', guest(['a', 'b']), [], bound, ['attach a b']],
    ['what is named already needs no other', guest(['a', 'b'], ['a', 'b']), [pod('a b')], bound, []],
    ['a guest that has disks and no pod gets one', guest(['a'], ['a']), [], bound, ['attach a']],
    ['a pod that waits for its node is enough', guest(['a']), [pod('a', { phase: 'Pending' })], bound, []],
    ['one that is going is not', guest(['a'], ['a']), [pod('a', { metadata: deleting })], bound, ['attach a']],
    ['one that has ended is not', guest(['a']), [pod('a', { phase: 'Failed' })], bound, ['attach a', 'remove hp-a']],
    [
      'another claim takes another pod, and the old one stays',
      guest(['a', 'b'], ['a']),
      [pod('a')],
      bound,
      ['attach a b'],
    ],
    [
      'the old one stays until the new one runs',
      guest(['a', 'b'], ['a']),
      [pod('a'), pod('a b', { phase: 'Pending' })],
      bound,
      [],
    ],
    ['then it goes', guest(['a', 'b'], ['a']), [pod('a'), pod('a b')], bound, ['remove hp-a']],
    ['what is to go is named until it is out', guest(['a'], ['a', 'b']), [pod('a b'), pod('a')], bound, []],
    ['then its pod goes', guest(['a'], ['a']), [pod('a b'), pod('a')], bound, ['remove hp-a b']],
    ['the last one goes when nothing is plugged in', guest([]), [pod('a')], bound, ['remove hp-a']],
    ['but not before it is out', guest([], ['a']), [pod('a')], bound, []],
    ['two of the same are one too many', guest(['a'], ['a']), [pod('a'), pod('a')], bound, ['remove hp-a']],
    ['a claim that is not there is not waited for', guest(['a', 'b']), [], { a: 'bound' }, ['attach a']],
    ['nor one without data', guest(['a', 'b']), [], { a: 'bound', b: 'unfilled' }, ['attach a']],
    ['nor one without a volume', guest(['a', 'b']), [], { a: 'bound', b: 'unbound' }, ['attach a']],
    [
      'one that waits for a consumer gets it',
      guest(['a', 'b']),
      [],
      { a: 'bound', b: 'waits' },
      ['attach a', 'bind b'],
    ],
    ['once', guest(['b']), [pod('b', { toBind: true, phase: 'Pending' })], { b: 'waits' }, []],
    ['bound, it is plugged in', guest(['b']), [pod('b', { toBind: true })], bound, ['attach b']],
    ['and has its consumer no more', guest(['b']), [pod('b', { toBind: true }), pod('b')], bound, ['remove hp-b']],
    ['a claim that was deleted is named on', guest(['a'], ['a']), [pod('a')], { a: 'leaving' }, []],
    ['and does not hold up another', guest(['a', 'b'], ['a']), [pod('a')], { a: 'leaving', b: 'bound' }, ['attach b']],
    ['nor loses its pod to it', guest(['a', 'b'], ['a', 'b']), [pod('a'), pod('b')], { a: 'leaving', b: 'bound' }, []],
    [
      'one that waits for a claim that is gone gives way',
      guest(['a', 'b']),
      [pod('a b', { phase: 'Pending' })],
      { b: 'bound' },
      ['attach b', 'remove hp-a b'],
    ],
    [
      'so does one that waits for a claim that has lost its volume',
      guest(['a', 'b']),
      [pod('a b', { phase: 'Pending' })],
      { a: 'unbound', b: 'bound' },
      ['attach b', 'remove hp-a b'],
    ],
    [
      'and one that no node has when more is plugged in',
      guest(['a', 'b']),
      [pod('a', { phase: 'Pending' })],
      bound,
      ['attach a b', 'remove hp-a'],
    ],
    [
      'but not one that its node has, which may be plugging it in',
      guest(['a', 'b']),
      [pod('a', { phase: 'Pending', isPlaced: true })],
      bound,
      ['attach a b'],
    ],
    ['one that runs goes on without it', guest(['a', 'b'], ['a', 'b']), [pod('a b')], { b: 'bound' }, []],
    ['a VMI that goes takes them with it', guest(['a'], ['a'], deleting), [pod('a')], bound, ['remove hp-a']],
  ])('%s', (_, vmi, attachments, claims, expected) => {
    expect(plan(vmi, attachments, claims)).toEqual(expected);
  });

  it('wait for a launcher that has a node, and go with one that ends', () => {
    expect(plan(guest(['a']), [], bound, { ...LAUNCHER, spec: { containers: [] } })).toEqual([]);
    expect(plan(guest(['a']), [pod('a')], bound, { ...LAUNCHER, status: { phase: 'Succeeded' } })).toEqual([
      'remove hp-a',
    ]);
  });

  it('name what memory is dumped to', () => {
    const vmi = vmiWith({ phase: 'Running' }, {}, { volumes: [{ name: 'a', memoryDump: { claimName: 'a' } }] });
    expect(plan(vmi, [], bound)).toEqual(['attach a']);
  });

  it('are made for the node of the launcher, belong to it, and ask for nothing', () => {
    const { metadata, spec } = attachmentPod(LAUNCHER, [{ volume: 'cd', claim: 'iso' }]);
    expect(metadata).toEqual({
      generateName: 'hp-volume-',
      namespace: 'shop',
      labels: { 'kubevirt.io': 'hotplug-disk' },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'virt-launcher-web-x',
          uid: 'pod-uid',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(spec).not.toHaveProperty('nodeName');
    expect(spec).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
          },
        },
      },
      tolerations: [
        { key: 'lab', operator: 'Exists' },
        { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
      ],
      containers: [{ name: 'hotplug-disk', resources: { requests: { cpu: '0', memory: '0' } } }],
      volumes: [{ name: 'cd', persistentVolumeClaim: { claimName: 'iso' } }],
    });
  });

  it('of claims that are on volumes of that node leave the scheduler nothing to do', () => {
    const { spec } = attachmentPod(LAUNCHER, [{ volume: 'cd', claim: 'iso' }], { isPlaced: true });
    expect(spec).toMatchObject({ nodeName: 'node-1' });
  });
});
