import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReadyNow, replicaWith } from '../testing/sets.ts';
import { deletionCost, scaleDownOrder } from './scaleDown.ts';

const starting = { phase: 'Scheduling' };
const migrating = { ...isReadyNow, migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } };
const on = (nodeName: string, status: Vmi['status'] = isReadyNow) => ({ ...status, nodeName });
const cost = (value: string) => ({ annotations: { 'kubevirt.io/deletion-cost': value } });
const born = (minute: number) => ({ creationTimestamp: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z` });
const order = (...vmis: Vmi[]) => scaleDownOrder(vmis).map(({ metadata }) => metadata.name);

describe('scaling down deletes first', () => {
  it.each<[string, Vmi[], string[]]>([
    [
      'VMIs that are not ready, then migrating ones, then ready ones',
      [replicaWith('ready', isReadyNow), replicaWith('migrating', migrating), replicaWith('starting', starting)],
      ['starting', 'migrating', 'ready'],
    ],
    [
      'VMIs that are not ready, whatever their deletion cost',
      [replicaWith('ready', isReadyNow, cost('-100')), replicaWith('starting', starting, cost('100'))],
      ['starting', 'ready'],
    ],
    [
      'VMIs with a lower deletion cost, whatever their node and age',
      [
        replicaWith('dear', on('crowded'), { ...cost('5'), ...born(9) }),
        replicaWith('plain', on('crowded'), born(8)),
        replicaWith('cheap', on('empty'), { ...cost('-5'), ...born(1) }),
      ],
      ['cheap', 'plain', 'dear'],
    ],
    [
      'VMIs without a node, then those on the node with most replicas, counted anew after each',
      [
        replicaWith('a1', on('a'), born(1)),
        replicaWith('a2', on('a'), born(2)),
        replicaWith('a3', on('a'), born(3)),
        replicaWith('b1', on('b'), born(4)),
        replicaWith('b2', on('b'), born(5)),
        replicaWith('nowhere', isReadyNow, born(0)),
      ],
      ['nowhere', 'a3', 'b2', 'a2', 'b1', 'a1'],
    ],
    [
      'the youngest VMIs, then the first by name',
      [
        replicaWith('old', isReadyNow, born(1)),
        replicaWith('young-b', isReadyNow, born(2)),
        replicaWith('young-a', isReadyNow, born(2)),
      ],
      ['young-a', 'young-b', 'old'],
    ],
  ])('%s', (_, vmis, expected) => {
    expect(order(...vmis)).toEqual(expected);
  });
});

describe('a deletion cost', () => {
  it.each([
    ['7', 7],
    ['-7', -7],
    ['2147483647', 2147483647],
    ['2147483648', 0],
    ['1.5', 0],
    ['much', 0],
    ['', 0],
  ])('of "%s" is %i', (text, expected) => {
    expect(deletionCost(replicaWith('web', {}, cost(text)))).toBe(expected);
  });
});

describe('the scale-down order of any VMIs', () => {
  const anyStatus = fc.constantFrom(starting, migrating, isReadyNow);
  const anyNode = fc.constantFrom('', 'a', 'b', 'c');
  const anyCost = fc.constantFrom('', '-1', '1', 'x');
  const anyVmis = fc
    .array(fc.tuple(anyStatus, anyNode, anyCost, fc.integer({ min: 0, max: 5 })), { maxLength: 30 })
    .map((all) =>
      all.map(([status, node, price, minute], index) =>
        replicaWith(`web-${index}`, node ? on(node, status) : status, { ...cost(price), ...born(minute) }),
      ),
    );

  it('holds each of them once, and is the same however they come', () => {
    fc.assert(
      fc.property(anyVmis, fc.infiniteStream(fc.double({ noNaN: true })), (vmis, random) => {
        const shuffled = vmis
          .map((vmi) => ({ vmi, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ vmi }) => vmi);
        expect(order(...shuffled)).toEqual(order(...vmis));
        expect(order(...vmis).toSorted()).toEqual(vmis.map(({ metadata }) => metadata.name).toSorted());
      }),
    );
  });

  it('never puts a more ready VMI first, or among equals one with a higher deletion cost', () => {
    const rank = ({ status }: Vmi) => (status?.conditions ? (status.migrationState ? 1 : 2) : 0);
    fc.assert(
      fc.property(anyVmis, (vmis) => {
        const sorted = scaleDownOrder(vmis);
        sorted.slice(1).forEach((after, index) => {
          const before = sorted[index] as Vmi;
          expect(rank(before)).toBeLessThanOrEqual(rank(after));
          if (rank(before) === rank(after)) expect(deletionCost(before)).toBeLessThanOrEqual(deletionCost(after));
        });
      }),
    );
  });

  it('takes from the node with most replicas, as long as nothing else tells them apart', () => {
    const anyNodes = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const left = scaleDownOrder(nodes.map((node, index) => replicaWith(`web-${index}`, on(node))));
        while (left.length > 0) {
          const counts = Map.groupBy(left, ({ status }) => status?.nodeName);
          const fullest = Math.max(...[...counts.values()].map(({ length }) => length));
          expect(counts.get(left[0]?.status?.nodeName)).toHaveLength(fullest);
          left.shift();
        }
      }),
    );
  });
});
