import { controllerReference } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { ReplicaSet } from './replicaSet.ts';

/** A new VMI from the set's template. The server generates the end of its name. */
export function newVmi(set: ReplicaSet): Draft<Vmi> {
  const { metadata, spec } = set.spec.template;
  const { name, namespace } = set.metadata;
  if (!spec) throw new Error(`VirtualMachineInstanceReplicaSet ${namespace}/${name}: spec.template.spec is missing`);
  const { labels, annotations, finalizers } = metadata ?? {};
  return {
    apiVersion: `${Vmi.group}/${Vmi.version}`,
    kind: Vmi.kind,
    metadata: {
      generateName: metadata?.name || metadata?.generateName || name,
      namespace,
      labels: { ...labels },
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(set, ReplicaSet)],
    },
    spec,
  };
}
