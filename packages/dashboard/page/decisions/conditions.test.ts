import { expect, it } from 'vitest';
import { checksOf, whyOf } from './conditions.ts';
import { foldEvents } from './events.ts';
import { stateOf } from './states.ts';

const unscheduled = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: '0/1 nodes are available',
};

const unready = { type: 'Ready', status: 'False', message: 'Guest VM is not reported as running' };

it('what is wrong is listed first, and nobody is blamed for a missing agent', () => {
  const checks = checksOf([
    { type: 'AgentConnected', status: 'False' },
    { type: 'Ready', status: 'True' },
    { type: 'LiveMigratable', status: 'False' },
    unscheduled,
  ]);
  expect(checks.map(({ type, verdict, text }) => [type, verdict, text])).toEqual([
    ['PodScheduled', 'bad', 'no · Unschedulable · 0/1 nodes are available'],
    ['Ready', 'good', 'yes'],
    ['AgentConnected', 'neutral', 'no'],
    ['LiveMigratable', 'neutral', 'no'],
  ]);
});

it.each([
  ['Available', 'True', 'good'],
  ['Available', 'False', 'bad'],
  ['Created', 'True', 'good'],
  ['Progressing', 'True', 'neutral'],
  ['Degraded', 'True', 'bad'],
  ['Degraded', 'False', 'neutral'],
])('of KubeVirt, %s=%s is %s', (type, status, verdict) => {
  expect(checksOf([{ type, status }])[0]?.verdict).toBe(verdict);
});

it('a machine that is off need not be ready', () => {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'VMINotExists' }];
  expect(checksOf(conditions)[0]?.verdict).toBe('bad');
  expect(checksOf(conditions, { isOff: true })[0]?.verdict).toBe('neutral');
});

const warnings = foldEvents([{ metadata: { name: 'a' }, type: 'Warning', message: 'no such image' }]);

it.each([
  ['Running', [unscheduled], undefined],
  ['ErrorUnschedulable', [unscheduled], '0/1 nodes are available'],
  ['ErrImagePull', [], 'no such image'],
  ['ErrImagePull', [unready], 'no such image'],
  ['ErrorUnschedulable', [unready, unscheduled], '0/1 nodes are available'],
  ['Starting', [unready], 'Guest VM is not reported as running'],
  ['Starting', [], undefined],
])('%s is explained by %j: %s', (word, conditions, why) => {
  expect(whyOf(stateOf(word), conditions, warnings)).toBe(why);
});
