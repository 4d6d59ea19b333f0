import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { DOMAIN, textAt, withAt } from './objects.ts';

/** A type, preference or image by kind and name: `VirtualMachineClusterInstancetype` and `u1.medium`. */
export interface Reference {
  readonly kind: string;
  readonly name: string;
}

export type Size =
  | { readonly kind: 'own'; readonly cores: string; readonly memory: string }
  | { readonly kind: 'type'; readonly type: Reference };

const CLUSTER_TYPE = 'VirtualMachineClusterInstancetype';
const CLUSTER_PREFERENCE = 'VirtualMachineClusterPreference';
const DEFAULT_MEMORY = '1Gi';

const referenceAt = (vm: Mapping, field: string, usual: string): Reference | undefined => {
  const value = valueAt(vm, ['spec', field]);
  return isMapping(value) ? { kind: textAt(value, ['kind']) || usual, name: textAt(value, ['name']) } : undefined;
};

export function readSize(vm: Mapping): Size {
  const type = referenceAt(vm, 'instancetype', CLUSTER_TYPE);
  if (type) return { kind: 'type', type };
  return {
    kind: 'own',
    cores: textAt(vm, [...DOMAIN, 'cpu', 'cores']),
    memory: textAt(vm, [...DOMAIN, 'memory', 'guest']),
  };
}

/** A type says CPU and memory, and the server refuses a VM that says them too. */
export function withSize(vm: Mapping, size: Size): Mapping {
  if (size.kind === 'type') {
    const next = ['cpu', 'memory', 'resources'].reduce(
      (each, field) => withAt(each, [...DOMAIN, field], undefined),
      vm,
    );
    return withAt(next, ['spec', 'instancetype'], { kind: size.type.kind, name: size.type.name });
  }
  const next = withAt(vm, ['spec', 'instancetype'], undefined);
  const cores = /^\d+$/.test(size.cores) ? Number(size.cores) : size.cores;
  return withAt(
    withAt(next, [...DOMAIN, 'cpu', 'cores'], cores === '' ? undefined : cores),
    [...DOMAIN, 'memory', 'guest'],
    size.memory === '' ? undefined : size.memory,
  );
}

/** What the form begins with when somebody leaves types. */
export const ownSize = (): Size => ({ kind: 'own', cores: '1', memory: DEFAULT_MEMORY });

export const readPreference = (vm: Mapping): Reference | undefined => referenceAt(vm, 'preference', CLUSTER_PREFERENCE);

export const withPreference = (vm: Mapping, preference: Reference | undefined): Mapping =>
  withAt(vm, ['spec', 'preference'], preference && { kind: preference.kind, name: preference.name });
