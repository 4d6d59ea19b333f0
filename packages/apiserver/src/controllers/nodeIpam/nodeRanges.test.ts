import { describe, expect, it } from 'vitest';
import { NodeRanges } from './nodeRanges.ts';

describe('the ranges of nodes', () => {
  it('are given away one after another, until none is left', () => {
    const ranges = new NodeRanges('10.244.0.0/22', 24);
    const taken = [1, 2, 3, 4, 5].map(() => ranges.take());
    expect(taken).toEqual(['10.244.0.0/24', '10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24', undefined]);
  });

  it('are given away again when they were returned, the latest last', () => {
    const ranges = new NodeRanges('10.244.0.0/22', 24);
    ranges.take();
    ranges.release('10.244.0.0/24');
    expect(ranges.take()).toBe('10.244.1.0/24');
  });

  it.each<[string, string, string]>([
    ['that a node has', '10.244.0.0/24', '10.244.1.0/24'],
    ['that is a part of what a node has', '10.244.0.0/23', '10.244.2.0/24'],
    ['that a node has a part of', '10.244.0.128/25', '10.244.1.0/24'],
  ])('are not those %s', (_, used, first) => {
    const ranges = new NodeRanges('10.244.0.0/22', 24);
    ranges.use(used);
    expect(ranges.take()).toBe(first);
  });

  it('are of either family', () => {
    const ranges = new NodeRanges('fd00:0:0:fe::/63', 64);
    ranges.use('fd00:0:0:fe::/64');
    expect([ranges.take(), ranges.take()]).toEqual(['fd00:0:0:ff::/64', undefined]);
    ranges.release('fd00:0:0:fe::/64');
    expect(ranges.take()).toBe('fd00:0:0:fe::/64');
  });

  it('do not mind ranges from elsewhere', () => {
    const ranges = new NodeRanges('10.244.0.0/24', 24);
    for (const range of ['10.0.0.0/24', 'fd00::/64', 'x']) ranges.use(range);
    expect(ranges.take()).toBe('10.244.0.0/24');
  });

  it('are free when the last of two that share one goes', () => {
    const ranges = new NodeRanges('10.244.0.0/24', 24);
    for (const _ of [1, 2]) ranges.use('10.244.0.0/24');
    ranges.release('10.244.0.0/24');
    expect(ranges.take()).toBeUndefined();
    ranges.release('10.244.0.0/24');
    expect(ranges.take()).toBe('10.244.0.0/24');
  });
});
