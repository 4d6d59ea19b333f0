import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { node, podAsking } from '../testing/scheduler.ts';
import { ClusterState } from './clusterState.ts';
import { podRequests, podRequestsForScore } from './podRequests.ts';

const NODES = ['n1', 'n2'];
interface Step {
  readonly pod: string;
  readonly node: string;
  readonly milliCpu: number;
}

const requests = ({ milliCpu }: Step) => ({ cpu: `${milliCpu}m`, memory: `${milliCpu}Mi` });
const waiting = (step: Step) => podAsking(step.pod, requests(step));
const placed = (step: Step) => podAsking(step.pod, requests(step), { nodeName: step.node });

const ACTIONS: Readonly<Record<string, (state: ClusterState, step: Step) => void>> = {
  place: (state, step) => state.setPod(placed(step)),
  wait: (state, step) => state.setPod(waiting(step)),
  end: (state, step) => state.setPod({ ...placed(step), status: { phase: 'Failed' } }),
  remove: (state, step) => state.removePod(`default/${step.pod}`),
  assume: (state, step) => state.assume(waiting(step), step.node),
  forget: (state, step) => state.forget(`default/${step.pod}`),
  addNode: (state, step) => state.setNode(node(step.node)),
  removeNode: (state, step) => state.removeNode(step.node),
};

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(...Object.keys(ACTIONS)),
    pod: fc.constantFrom('a', 'b', 'c'),
    node: fc.constantFrom(...NODES),
    milliCpu: fc.integer({ min: 0, max: 3000 }),
  }),
  { maxLength: 40 },
);

describe('the running sums of a node', () => {
  it('equal the sums over its pods, and no pod is on two nodes', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const state = new ClusterState();
        for (const each of taken) ACTIONS[each.action]?.(state, each);
        const seen = new Set<string>();
        for (const name of NODES) {
          const on = state.node(name);
          if (!on) continue;
          const pods = [...on.pods.values()];
          for (const key of on.pods.keys()) {
            expect(seen.has(key)).toBe(false);
            seen.add(key);
          }
          const sum = (of: (pod: (typeof pods)[number]) => number) => pods.reduce((total, pod) => total + of(pod), 0);
          expect(on.requested.cpu ?? 0).toBe(sum((pod) => podRequests(pod).cpu ?? 0));
          expect(on.requested.memory ?? 0).toBe(sum((pod) => podRequests(pod).memory ?? 0));
          expect(on.scored.cpu).toBe(sum((pod) => podRequestsForScore(pod).cpu));
        }
      }),
    );
  });
});
