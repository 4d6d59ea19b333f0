import type { ObjectMeta } from '../../meta.ts';
import { VirtualMachine } from '../kubevirt/virtualMachine.ts';

/** What kubectl last applied was applied to another object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A machine of another name that is made from one that was kept: halted, until patches say something else. */
export function restoredMachine(
  { labels, annotations: kept = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>,
  { running, runStrategy: _, ...spec }: VirtualMachine['spec'],
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): VirtualMachine {
  const { [LAST_APPLIED]: __, ...annotations } = kept;
  return {
    apiVersion: `${VirtualMachine.group}/${VirtualMachine.version}`,
    kind: VirtualMachine.kind,
    metadata: { name, ...(namespace && { namespace }), labels: { ...labels }, annotations },
    spec: { ...spec, ...(running === undefined ? { runStrategy: 'Halted' } : { running: false }) },
  };
}
