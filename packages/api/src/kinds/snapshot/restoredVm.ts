import type { ObjectMeta } from '../../meta.ts';
import { VirtualMachine } from '../kubevirt/virtualMachine.ts';

/** What kubectl last applied was applied to another object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The annotations of a vm that one of another name gets. */
export function keptAnnotations(annotations: ObjectMeta['annotations']): Record<string, string> {
  const { [LAST_APPLIED]: _, ...kept } = annotations ?? {};
  return kept;
}

/** A VM of another name that is made from one that was kept: halted, until patches say something else. */
export function restoredVm(
  { labels, annotations }: Pick<ObjectMeta, 'labels' | 'annotations'>,
  { running, runStrategy: _, ...spec }: VirtualMachine['spec'],
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): VirtualMachine {
  return {
    apiVersion: `${VirtualMachine.group}/${VirtualMachine.version}`,
    kind: VirtualMachine.kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      labels: { ...labels },
      annotations: keptAnnotations(annotations),
    },
    spec: { ...spec, ...(running === undefined ? { runStrategy: 'Halted' } : { running: false }) },
  };
}
