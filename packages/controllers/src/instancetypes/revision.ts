import { type ControllerRevision, controllerReference, type Kind } from '@vireo/api';
import { Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  type InstancetypeOrPreference,
  type MatcherField,
  matcherKind,
  OBJECT_LABEL,
  type ResolvedMatcher,
} from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';

type Ref = NonNullable<VmStatus['instancetypeRef']>;

/** What keeps a type for a VM as it is now, whatever becomes of the type. */
export function typeRevision(
  vm: Vm,
  kind: Kind,
  { metadata, spec }: InstancetypeOrPreference,
): Draft<ControllerRevision> {
  const { name = '', namespace, uid = '', generation = 1, resourceVersion, creationTimestamp } = metadata;
  const { version } = kind;
  return {
    metadata: {
      name: `${vm.metadata.name}-${name}-${version}-${uid}-${generation}`,
      namespace: vm.metadata.namespace,
      ownerReferences: [controllerReference(vm, Vm)],
      labels: {
        [OBJECT_LABEL.generation]: String(generation),
        [OBJECT_LABEL.kind]: kind.kind,
        [OBJECT_LABEL.name]: name,
        [OBJECT_LABEL.uid]: uid,
        [OBJECT_LABEL.version]: version,
      },
    },
    revision: 0,
    data: {
      apiVersion: `${kind.group}/${version}`,
      kind: kind.kind,
      metadata: { name, ...(namespace && { namespace }), uid, generation, resourceVersion, creationTimestamp },
      spec,
    },
  };
}

/** What the status of a VM says of the type in use. */
export function typeRef(vm: Vm, field: MatcherField, revision: string): Ref {
  const matcher = vm.spec[field] ?? {};
  return { name: matcher.name, kind: matcherKind(field, matcher).kind, controllerRevisionRef: { name: revision } };
}

/** The revision that a VM uses by now: what was found, or what is about to be kept. */
export const revisionNameOf = (vm: Vm, found: ResolvedMatcher): string =>
  found.from === 'revision' ? found.name : (typeRevision(vm, found.kind, found.object).metadata.name ?? '');
