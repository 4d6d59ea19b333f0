import type { EventRecorder, Log } from '@vireo/kube';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { nodeReference } from '../registration/nodeReference.ts';
import { DeadMan } from './deadMan.ts';
import { Fence, type FenceOptions } from './fence.ts';

interface NodeFenceOptions extends Pick<FenceOptions, 'policy' | 'settle'> {
  readonly node: string;
  readonly layout: NodeLayout;
  readonly recorder: EventRecorder;
  readonly log: Log;
}

/** The fence of a node, which tells of it in the log and by events of the node. */
export function nodeFence({ node, layout, policy, settle, recorder, log }: NodeFenceOptions): Fence {
  const reference = nodeReference(node);
  return new Fence({
    policy,
    deadMan: new DeadMan(layout),
    settle,
    onEnded: ({ guests, silentMs, at }) => {
      const message = `at ${at} the guests of ${guests.map(({ key }) => key).join(', ')} were ended by the fencing policy of the node: no renewal of its lease had been acknowledged for ${Math.round(silentMs / 1000)} s`;
      log.warn(message, reference);
      recorder.event(reference, 'Warning', 'GuestsEndedBySilence', message);
    },
    onProblem: (error) => {
      log.error('the fencing policy of the node is not in force', reference, { error });
      const message = `the fencing policy is not in force: ${error instanceof Error ? error.message : error}`;
      recorder.event(reference, 'Warning', 'FencingPolicyFailed', message);
    },
  });
}
