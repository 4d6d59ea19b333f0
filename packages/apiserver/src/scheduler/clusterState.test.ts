import { describe, expect, it } from 'vitest';
import { node, podAsking } from '../testing/scheduler.ts';
import { ClusterState } from './clusterState.ts';

const onNode = podAsking('p', { cpu: '1' }, { nodeName: 'n1' });
const waiting = podAsking('p', { cpu: '1' });

function started(): ClusterState {
  const state = new ClusterState();
  state.setNode(node('n1'));
  return state;
}
const cpu = (state: ClusterState) => state.node('n1')?.requested.cpu ?? 0;

describe('ClusterState', () => {
  it('counts a pod once however often it is seen, and not after it ended or went', () => {
    const state = started();
    state.setPod(onNode);
    state.setPod({ ...onNode, metadata: { ...onNode.metadata, labels: { a: 'b' } } });
    expect(cpu(state)).toBe(1000);
    state.setPod({ ...onNode, status: { phase: 'Succeeded' } });
    expect(cpu(state)).toBe(0);
    state.setPod(onNode);
    state.removePod('default/p');
    expect(cpu(state)).toBe(0);
  });

  it('keeps an assumed pod while the API still shows it unplaced, and gives it back when the bind fails', () => {
    const state = started();
    state.assume(waiting, 'n1');
    state.setPod(waiting);
    expect(cpu(state)).toBe(1000);
    state.forget('default/p');
    expect(cpu(state)).toBe(0);
  });

  it('does not forget a pod that the API has confirmed', () => {
    const state = started();
    state.assume(waiting, 'n1');
    state.setPod(onNode);
    state.forget('default/p');
    expect(cpu(state)).toBe(1000);
  });

  it('remembers pods of a node that is not there, and offers no such node', () => {
    const state = new ClusterState();
    state.setPod(onNode);
    expect(state.nodes()).toEqual([]);
    state.setNode(node('n1'));
    expect(cpu(state)).toBe(1000);
    state.removeNode('n1');
    expect(state.nodes()).toEqual([]);
  });
});
