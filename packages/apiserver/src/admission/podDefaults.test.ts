import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind } from '../testing/admission.ts';
import { defaultTolerationSeconds, taintNewNodes } from './podDefaults.ts';
import { storageClassDefault } from './storageClassDefault.ts';

const toleration = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

describe('DefaultTolerationSeconds', () => {
  it.each<[string, object[] | undefined, object[]]>([
    ['a pod that says nothing', undefined, [toleration(NOT_READY), toleration(UNREACHABLE)]],
    [
      'a pod that answers one',
      [{ key: NOT_READY, operator: 'Exists' }],
      [{ key: NOT_READY, operator: 'Exists' }, toleration(UNREACHABLE)],
    ],
    ['a pod that tolerates all', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    [
      'another effect is no answer',
      [{ key: NOT_READY, effect: 'NoSchedule' }],
      [{ key: NOT_READY, effect: 'NoSchedule' }, toleration(NOT_READY), toleration(UNREACHABLE)],
    ],
  ])('%s', async (_, tolerations, expected) => {
    const pod = object(podKind, 'p', { spec: { ...(tolerations && { tolerations }) } });
    await outcome(defaultTolerationSeconds(), create(podKind, pod));
    expect(pod.spec).toEqual({ tolerations: expected });
  });
});

describe('TaintNodesByCondition', () => {
  it('taints a new node once', async () => {
    const nodeKind = kindOf('Node', 'nodes', '', false);
    const node = object(nodeKind, 'n1', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } });
    await outcome(taintNewNodes(), create(nodeKind, node));
    await outcome(taintNewNodes(), create(nodeKind, node));
    expect(node.spec).toEqual({
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: NOT_READY, effect: 'NoSchedule' },
      ],
    });
  });
});

describe('DefaultStorageClass', () => {
  const claimKind = kindOf('PersistentVolumeClaim', 'persistentvolumeclaims');
  const classKind = kindOf('StorageClass', 'storageclasses', 'storage.k8s.io', false);
  const storageClass = (name: string, isDefault: boolean, creationTimestamp: string) =>
    object(
      classKind,
      name,
      {},
      { creationTimestamp, annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) } },
    );
  const classes = new Objects().put(
    classKind,
    storageClass('plain', false, '2026-01-05T00:00:00Z'),
    storageClass('old', true, '2026-01-01T00:00:00Z'),
    storageClass('new', true, '2026-01-02T00:00:00Z'),
  );
  it.each<[string, Objects, object, object, string | undefined]>([
    ['no class named: the newest default', classes, {}, {}, 'new'],
    ['a class named', classes, { storageClassName: 'plain' }, {}, 'plain'],
    ['no class wanted', classes, { storageClassName: '' }, {}, ''],
    [
      'the old annotation',
      classes,
      {},
      { annotations: { 'volume.beta.kubernetes.io/storage-class': 'plain' } },
      undefined,
    ],
    ['no default', new Objects(), {}, {}, undefined],
  ])('%s', async (_, lookup, spec, metadata, expected) => {
    const claim = object(claimKind, 'c', { spec: { ...spec } }, metadata);
    await outcome(storageClassDefault(lookup), create(claimKind, claim));
    expect((claim.spec as { storageClassName?: string }).storageClassName).toBe(expected);
  });
});
