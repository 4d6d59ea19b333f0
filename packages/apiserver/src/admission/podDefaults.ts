import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isAbout, isNewPod } from './refuse.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const GRACE_SECONDS = 300;

/** Pods stay for five minutes on a node that fails, unless they say otherwise. */
export const defaultTolerationSeconds = (): AdmissionPlugin => ({
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    if (!isNewPod(request)) return;
    const { spec } = request.object as unknown as Pod;
    if (!spec) return;
    for (const key of [NOT_READY, UNREACHABLE]) {
      const isAnswered = (spec.tolerations ?? []).some(
        (toleration) =>
          (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute'),
      );
      if (isAnswered) continue;
      spec.tolerations = [
        ...(spec.tolerations ?? []),
        { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: GRACE_SECONDS },
      ];
    }
  },
});

/** A new node takes no pods until the node controller has seen it ready. */
export const taintNewNodes = (): AdmissionPlugin => ({
  name: 'TaintNodesByCondition',
  mutate(request) {
    if (request.operation !== 'CREATE' || !isAbout(request, '', 'nodes')) return;
    const node = request.object as unknown as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule')) return;
    node.spec = { ...node.spec, taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] };
  },
});
