import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { NO_REPLICAS } from './replicaState.ts';
import { toleratedForMs, toleratedSilenceMs, withTolerated } from './unknown.ts';

const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOW = Date.parse('2026-01-01T12:00:00Z');

it.each<[what: string, tolerations: object[] | undefined, seconds: number]>([
  ['nothing', undefined, 300],
  ['another taint', [{ key: 'lab', operator: 'Exists', effect: 'NoExecute' }], 300],
  ['only that it is scheduled there', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoSchedule' }], 300],
  ['a minute', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }], 60],
  ['everything for a minute', [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }], 60],
  ['no limit', [{ key: UNREACHABLE, operator: 'Exists' }], Number.POSITIVE_INFINITY],
  ['no time at all', [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }], 0],
])('a VMI that tolerates %s', (_, tolerations, seconds) => {
  const spec = { domain: { devices: {} }, ...(tolerations && { tolerations }) };
  expect(toleratedSilenceMs(vmiWith({}, {}, spec as Vmi['spec']))).toBe(seconds * 1000);
});

it('a VMI counts as active until it has been Unknown for longer than it tolerates', () => {
  const unknownFor = (seconds: number): Vmi => {
    const phaseTransitionTimestamp = new Date(NOW - seconds * 1000).toISOString();
    return vmiWith({ phase: 'Unknown', phaseTransitionTimestamps: [{ phase: 'Unknown', phaseTransitionTimestamp }] });
  };
  const [recent, old] = [unknownFor(290), unknownFor(301)];
  const { active, unknown } = withTolerated({ ...NO_REPLICAS, unknown: [recent, old] }, NOW);
  expect({ active, unknown }).toEqual({ active: [recent], unknown: [old] });
  expect(toleratedForMs([recent, old], NOW)).toBe(10_000);
  expect(toleratedForMs([old], NOW)).toBe(Number.POSITIVE_INFINITY);
});
