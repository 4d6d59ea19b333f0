import type { Persisted, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { BIND_COMPLETED, SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { type BindingContext, type ClaimDecision, decideClaim } from './decideClaim.ts';

const claim = (
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop', uid: 'u1', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

const volume = (name: string, storage: string, spec: Partial<PersistentVolume['spec']> = {}) =>
  persisted<PersistentVolume>({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels: { disk: name } },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, ...spec },
    status: { phase: spec.claimRef?.uid ? 'Bound' : 'Available' },
  });

const storageClass = (volumeBindingMode: string, provisioner = 'example.com/disks'): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner,
  volumeBindingMode,
});

const mine = { name: 'data', namespace: 'shop', uid: 'u1' };
const another = { name: 'other', namespace: 'shop', uid: 'u2' };

const decide = (
  of: PersistentVolumeClaim,
  volumes: readonly Persisted<PersistentVolume>[] = [],
  context: Partial<BindingContext> = {},
): string => {
  const decision = decideClaim(of, {
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumes: () => volumes,
    storageClass: undefined,
    reaches: () => true,
    ...context,
  });
  return words(decision);
};

const words = (decision: ClaimDecision): string => {
  if (decision.action === 'bind') return `bind ${decision.volume.metadata.name}`;
  if (decision.action === 'provision') return `provision ${decision.provisioner}`;
  return [decision.action, decision.notice?.reason, decision.notice?.message].filter(Boolean).join(': ');
};

describe('a claim that takes any volume', () => {
  it('gets the smallest that is large enough', () => {
    expect(decide(claim(), [volume('big', '5Gi'), volume('fit', '2Gi'), volume('small', '500Mi')])).toBe('bind fit');
  });

  it.each<[string, Partial<PersistentVolumeClaim['spec']>, Persisted<PersistentVolume>]>([
    ['another class', {}, volume('v', '1Gi', { storageClassName: 'slow' })],
    ['another mode', { volumeMode: 'Block' }, volume('v', '1Gi')],
    ['another access mode', { accessModes: ['ReadWriteMany'] }, volume('v', '1Gi')],
    ['labels that the claim does not select', { selector: { matchLabels: { disk: 'x' } } }, volume('v', '1Gi')],
    ['a claim of its own', {}, volume('v', '1Gi', { claimRef: another })],
    ['a name on it that is not this claim', {}, volume('v', '1Gi', { claimRef: { name: 'x', namespace: 'shop' } })],
  ])('does not get one with %s', (_, spec, candidate) => {
    expect(decide(claim(spec), [candidate])).toBe(
      'wait: FailedBinding: no persistent volumes available for this claim and no storage class is set',
    );
  });

  it('gets the volume that is set aside for it, however large', () => {
    const reserved = volume('mine', '9Gi', { claimRef: { name: 'data', namespace: 'shop' } });
    expect(decide(claim(), [volume('fit', '1Gi'), reserved])).toBe('bind mine');
  });

  it('asks its class for one', () => {
    const context = { storageClass: storageClass('Immediate') };
    expect(decide(claim({ storageClassName: 'fast' }), [], context)).toBe('provision example.com/disks');
  });

  it('says when its class does not exist or makes none', () => {
    expect(decide(claim({ storageClassName: 'fast' }))).toBe(
      'wait: ProvisioningFailed: storageclass.storage.k8s.io "fast" not found',
    );
    const context = { storageClass: storageClass('Immediate', 'kubernetes.io/no-provisioner') };
    expect(decide(claim({ storageClassName: 'fast' }), [], context)).toMatch(/^wait: FailedBinding: no persistent/);
  });

  describe('of a class that waits', () => {
    const context = { storageClass: storageClass('WaitForFirstConsumer') };
    const fitting = volume('v', '1Gi', { storageClassName: 'fast' });

    it('waits for a pod, even where a volume would fit', () => {
      expect(decide(claim({ storageClassName: 'fast' }), [fitting], context)).toBe(
        'wait: WaitForFirstConsumer: waiting for first consumer to be created before binding',
      );
    });

    it('goes on when its node is chosen, with a volume that the node reaches', () => {
      const chosen = claim({ storageClassName: 'fast' }, { [SELECTED_NODE]: 'n1' });
      expect(decide(chosen, [fitting], context)).toBe('bind v');
      expect(decide(chosen, [fitting], { ...context, reaches: () => false })).toBe('provision example.com/disks');
    });
  });
});

describe('a claim that names its volume', () => {
  const named = claim({ volumeName: 'v' });

  it.each<[string, readonly Persisted<PersistentVolume>[], string]>([
    ['gets it', [volume('v', '1Gi')], 'bind v'],
    ['waits for it', [], 'wait: FailedBinding: volume "v" not found'],
    [
      'does not take it from another',
      [volume('v', '1Gi', { claimRef: another })],
      'wait: FailedBinding: volume "v" already bound to a different claim.',
    ],
    [
      'says why it does not fit',
      [volume('v', '1Mi')],
      'wait: VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
    ],
  ])('%s', (_, volumes, expected) => {
    expect(decide(named, volumes)).toBe(expected);
  });
});

describe('a claim that was bound', () => {
  const bound = claim({ volumeName: 'v' }, { [BIND_COMPLETED]: 'yes' });

  it.each<[string, readonly Persisted<PersistentVolume>[], string]>([
    ['stays so', [volume('v', '1Gi', { claimRef: mine })], 'bind v'],
    [
      'is lost with its volume',
      [],
      'lose: ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      'is lost when the volume is another’s',
      [volume('v', '1Gi', { claimRef: another })],
      'lose: ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ])('%s', (_, volumes, expected) => {
    expect(decide(bound, volumes)).toBe(expected);
  });
});
