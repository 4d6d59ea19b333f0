import { describe, expect, it } from 'vitest';
import { Histories } from './history.ts';
import { type Bounds, normalize } from './normalize.ts';

const NOW = 10_000_000;
const ago = (seconds: number, value: number) => ({ atMs: NOW - seconds * 1000, value });

const bounds = (rest: Partial<Bounds> = {}): Bounds => ({
  minReplicas: 1,
  maxReplicas: 20,
  currentReplicas: 5,
  recommendations: [],
  scaleUps: [],
  scaleDowns: [],
  nowMs: NOW,
  ...rest,
});

describe('without a behavior', () => {
  it.each<[string, number, Partial<Bounds>, number, string, string, boolean]>([
    ['what is wanted, within the bounds', 7, {}, 7, 'ReadyForNewScale', 'DesiredWithinRange', false],
    ['at most twice as many', 15, {}, 10, 'ReadyForNewScale', 'ScaleUpLimit', true],
    ['four at once are always allowed', 9, { currentReplicas: 1 }, 4, 'ReadyForNewScale', 'ScaleUpLimit', true],
    ['no more than the maximum', 9, { maxReplicas: 6 }, 6, 'ReadyForNewScale', 'TooManyReplicas', true],
    ['no fewer than the minimum', 0, {}, 1, 'ReadyForNewScale', 'TooFewReplicas', true],
    [
      'the most of five minutes',
      2,
      { recommendations: [ago(299, 5), ago(10, 3)] },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
      false,
    ],
    [
      'but not of longer ago',
      2,
      { recommendations: [ago(300, 5), ago(10, 3)] },
      3,
      'ScaleDownStabilized',
      'DesiredWithinRange',
      false,
    ],
  ])('%s', (_, desired, rest, replicas, able, limited, isLimited) => {
    expect(normalize(desired, bounds(rest))).toMatchObject({
      replicas,
      ableToScale: { reason: able },
      limited: { reason: limited, isLimited },
    });
  });
});

const up = (value: number, periodSeconds = 60, type = 'Pods') => ({ type, value, periodSeconds });

describe('with a behavior', () => {
  it.each<[string, number, NonNullable<Bounds['behavior']>, Partial<Bounds>, number, string, string]>([
    [
      'up by so many pods in a period',
      15,
      { scaleUp: { policies: [up(2)] } },
      {},
      7,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'less what was added in it',
      15,
      { scaleUp: { policies: [up(2)] } },
      { scaleUps: [ago(30, 1)] },
      6,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'what was added before it does not count',
      15,
      { scaleUp: { policies: [up(2)] } },
      { scaleUps: [ago(61, 2)] },
      7,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'a period that is used up lets nothing grow',
      15,
      { scaleUp: { policies: [up(2)] } },
      { scaleUps: [ago(1, 4)] },
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'percent are rounded up',
      15,
      { scaleUp: { policies: [up(10, 60, 'Percent')] } },
      {},
      6,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'the largest of policies',
      15,
      { scaleUp: { policies: [up(2), up(100, 60, 'Percent')] } },
      {},
      10,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'or the smallest',
      15,
      { scaleUp: { selectPolicy: 'Min', policies: [up(2), up(100, 60, 'Percent')] } },
      {},
      7,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'or none',
      15,
      { scaleUp: { selectPolicy: 'Disabled', policies: [up(2)] } },
      {},
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    ['the maximum', 30, { scaleUp: { policies: [up(100)] } }, {}, 20, 'ReadyForNewScale', 'TooManyReplicas'],
    [
      'down by so many',
      1,
      { scaleDown: { stabilizationWindowSeconds: 0, policies: [up(1)] } },
      {},
      4,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'percent down are cut',
      1,
      { scaleDown: { stabilizationWindowSeconds: 0, policies: [up(50, 60, 'Percent')] } },
      {},
      2,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'the slowest way down',
      1,
      { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Min', policies: [up(1), up(50, 60, 'Percent')] } },
      {},
      4,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'the minimum',
      1,
      { scaleDown: { stabilizationWindowSeconds: 0, policies: [up(100, 60, 'Percent')] } },
      { minReplicas: 2 },
      2,
      'ReadyForNewScale',
      'TooFewReplicas',
    ],
    [
      'the least of the window up',
      9,
      { scaleUp: { stabilizationWindowSeconds: 60, policies: [up(9)] } },
      { recommendations: [ago(30, 6)] },
      6,
      'ScaleUpStabilized',
      'DesiredWithinRange',
    ],
    [
      'the most of the window down',
      2,
      { scaleDown: { stabilizationWindowSeconds: 60, policies: [up(9)] } },
      { recommendations: [ago(30, 4), ago(90, 9)] },
      4,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'five minutes down where it does not say',
      2,
      { scaleDown: { policies: [up(9)] } },
      { recommendations: [ago(250, 5)] },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
  ])('%s', (_, desired, behavior, rest, replicas, able, limited) => {
    expect(normalize(desired, bounds({ behavior, ...rest }))).toMatchObject({
      replicas,
      ableToScale: { reason: able },
      limited: { reason: limited },
    });
  });
});

describe('the history of an autoscaler', () => {
  it('has what it wanted and did, and forgets it with it', () => {
    const histories = new Histories();
    histories.recommend('shop/a', 3, NOW - 3_600_001);
    histories.recommend('shop/a', 4, NOW);
    histories.scaled('shop/a', 3, 5, NOW);
    histories.scaled('shop/a', 5, 4, NOW);
    histories.selects('shop/a', 'app=a');
    expect(histories.of('shop/a')).toEqual({
      recommendations: [ago(0, 4)],
      scaleUps: [ago(0, 2)],
      scaleDowns: [ago(0, 1)],
      selector: 'app=a',
    });
    expect([...histories.selectorsIn('shop')]).toEqual([['shop/a', 'app=a']]);
    expect([...histories.selectorsIn('sho')]).toEqual([]);
    histories.forget('shop/a');
    expect(histories.of('shop/a').recommendations).toEqual([]);
  });
});
