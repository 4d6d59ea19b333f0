import type { Kind, KubeObject, Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import {
  VirtualMachineClusterPreference,
  VirtualMachinePreference,
} from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { VirtualMachineInstancePreset } from '@vireo/api/kinds/kubevirt/virtualMachineInstancePreset.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { canonicalQuantity } from '@vireo/api/quantity.ts';
import type { MutatingRule } from './rule.ts';

/**
 * The value with text in place of every quantity that is a number with a fraction, such as `cpu: 2.2`: the schemas of
 * KubeVirt's definitions know whole numbers and text only. What needs no change comes back as it is.
 */
export function withTextQuantities<T>(value: T, schema: Schema): T {
  return (holdsQuantity(schema) ? rewrite(value, schema) : value) as T;
}

function rewrite(value: unknown, schema: Schema): unknown {
  if (schema.format === 'quantity')
    return typeof value === 'number' && !Number.isInteger(value) ? canonicalQuantity(value) : value;
  const { items, values, properties } = schema;
  if (Array.isArray(value)) {
    if (!items || !holdsQuantity(items)) return value;
    const list = value.map((item) => rewrite(item, items));
    return list.some((item, index) => item !== value[index]) ? list : value;
  }
  if (!isObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const of = properties && Object.hasOwn(properties, key) ? properties[key]?.schema : values;
    if (!of || !holdsQuantity(of)) continue;
    const member = rewrite(value[key], of);
    if (member !== value[key]) changed = { ...(changed ?? value), [key]: member };
  }
  return changed ?? value;
}

const known = new WeakMap<Schema, boolean>();

/** Whether there are quantities anywhere below; most fields have none, and are not looked into. */
function holdsQuantity(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, schema.format === 'quantity'); // Before its fields: a schema may contain itself.
  const { items, values, properties = {} } = schema;
  const below = [items, values, ...Object.values(properties).map((property) => property.schema)];
  const holds = schema.format === 'quantity' || below.some((each) => each !== undefined && holdsQuantity(each));
  known.set(schema, holds);
  return holds;
}

/** For the kinds that have no defaults: all that is done to them is what is done before every rule that changes. */
export const quantityDefaults: MutatingRule<KubeObject> = {
  type: 'mutating',
  webhook: 'quantities-mutator.kubevirt.io',
  path: '/quantities-mutate',
  kinds: [
    VirtualMachineInstanceReplicaSet,
    VirtualMachinePool,
    VirtualMachineInstancePreset,
    VirtualMachineInstancetype,
    VirtualMachineClusterInstancetype,
    VirtualMachinePreference,
    VirtualMachineClusterPreference,
    DataVolume,
  ] as unknown as readonly Kind[],
  operations: ['CREATE', 'UPDATE'],
  mutate: async ({ object }) => object,
};
