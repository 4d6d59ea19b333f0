import { controllerReference, mergePatchBetween } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { POOL_FINALIZER, POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import type { Draft, MergePatch } from '@vireo/kube';
import { indexedSpec } from './indexedSpec.ts';
import { vmName } from './indices.ts';
import { Pool, type PoolSpec } from './pool.ts';

/** A new VM of the pool. */
export function vmFromPool(pool: Pool, index: number, revision: string): Draft<Vm> {
  const { labels, annotations } = pool.spec.virtualMachineTemplate.metadata ?? {};
  const { name, namespace } = pool.metadata;
  return {
    apiVersion: `${Vm.group}/${Vm.version}`,
    kind: Vm.kind,
    metadata: {
      name: vmName(name, index),
      namespace,
      labels: { ...labels, [POOL_REVISION_LABEL]: revision },
      ...(annotations && { annotations: { ...annotations } }),
      finalizers: [POOL_FINALIZER],
      ownerReferences: [controllerReference(pool, Pool)],
    },
    spec: specOf(pool, index, revision),
  };
}

/** The spec of a VM of the pool. Its VMIs carry the revision as well, so that they tell what they were started from. */
function specOf(pool: Pool, index: number, revision: string): Vm['spec'] {
  const spec = indexedSpec(pool.spec, index);
  const { metadata } = spec.template;
  const labels = { ...metadata?.labels, [POOL_REVISION_LABEL]: revision };
  return { ...spec, template: { ...spec.template, metadata: { ...metadata, labels } } };
}

/**
 * What turns a VM into one of the pool's present template; undefined where it is one. The spec is the template's, but
 * the guest keeps its identity. Labels and annotations that the template never had, by `before`, are others' and stay.
 */
export function updatePatch(
  vm: Vm,
  index: number,
  pool: Pool,
  revision: string,
  before: PoolSpec | undefined,
): MergePatch | undefined {
  const spec = withIdentityOf(vm, specOf(pool, index, revision));
  const [old, now] = [before?.virtualMachineTemplate.metadata ?? {}, pool.spec.virtualMachineTemplate.metadata ?? {}];
  const { labels = {}, annotations = {} } = vm.metadata;
  const metadata = mergePatchBetween(
    { labels, annotations },
    {
      labels: { ...without(labels, old.labels), ...now.labels, [POOL_REVISION_LABEL]: revision },
      annotations: { ...without(annotations, old.annotations), ...now.annotations },
    },
  );
  const changed = mergePatchBetween(vm.spec, spec);
  if (!metadata && !changed) return undefined;
  return { ...(metadata && { metadata }), ...(changed && { spec: changed }) };
}

type Texts = Readonly<Record<string, string>>;

const without = (all: Texts, gone: Texts = {}): Texts =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !Object.hasOwn(gone, key)));

/** The spec with the firmware's UUID and serial number that the VM has: its guest is known by them. */
function withIdentityOf({ spec: { template } }: Vm, spec: Vm['spec']): Vm['spec'] {
  const { uuid, serial } = template.spec?.domain.firmware ?? {};
  const next = spec.template.spec;
  if (!next || (!uuid && !serial)) return spec;
  const firmware = { ...next.domain.firmware, ...(uuid && { uuid }), ...(serial && { serial }) };
  return { ...spec, template: { ...spec.template, spec: { ...next, domain: { ...next.domain, firmware } } } };
}
