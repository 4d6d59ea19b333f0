import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pod } from '../testing/scheduler.ts';
import { NodeState } from './nodeState.ts';

it('a podCount is what counting anew would give, whatever came and went since', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), app: fc.constantFrom('web', 'db', undefined) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const state = new NodeState('n');
      for (const { name, app } of steps) {
        if (app === undefined) state.removePod(`default/${name}`);
        else state.addPod(pod(name, {}, { labels: { app } }));
        const expected = [...state.pods.values()].filter(({ metadata }) => metadata.labels?.app === 'web').length;
        expect(state.podCount('web', ({ metadata }) => metadata.labels?.app === 'web')).toBe(expected);
      }
    }),
  );
});

it('remembers few questions, and answers all', () => {
  const state = new NodeState('n');
  state.addPod(pod('a'));
  for (let question = 0; question < 100; question++) {
    expect(state.podCount(`yes ${question}`, () => true)).toBe(1);
    expect(state.podCount(`no ${question}`, () => false)).toBe(0);
  }
});
