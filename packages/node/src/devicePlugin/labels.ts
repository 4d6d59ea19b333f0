import type { Node } from '@vireo/api';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { type LabelFacts, labelsPatch } from '../registration/nodeObject.ts';

/**
 * The changes that make the labels of a kubelet's node tell what guests could have there, if any. What Kubernetes itself
 * labels is the kubelet's, and launchers stay away: beside a kubelet no guests run.
 */
export function kubeletLabelsPatch(facts: LabelFacts, node: Node): Node['metadata'] | undefined {
  const { labels, annotations } = labelsPatch(facts, node) ?? {};
  const own = Object.entries(labels ?? {}).filter(([label]) => !label.startsWith('kubernetes.io/'));
  const isClosed = node.metadata.labels?.[SCHEDULABLE_LABEL] === 'false';
  const changed = Object.fromEntries(isClosed ? own : [...own, [SCHEDULABLE_LABEL, 'false']]);
  if (Object.keys(changed).length === 0 && !annotations) return undefined;
  return { labels: changed, ...(annotations && { annotations }) };
}
