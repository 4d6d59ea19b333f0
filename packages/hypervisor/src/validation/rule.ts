import { type FieldError, fieldError } from '@vireo/api';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { canonicalQuantity, type Quantity } from '@vireo/api/quantity.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { readQuantity } from '../domainSpec.ts';

/** What a rule looks at: a spec, where it stands in its object, and the settings of the cluster. */
export interface Subject {
  readonly spec: VirtualMachineInstanceSpec;
  /** `spec` of a VMI, `spec.template.spec` of a VM. */
  readonly path: string;
  readonly config: ClusterConfig;
}

/** One topic of rules; never throws, whatever the spec holds. */
export type Rule = (subject: Subject) => FieldError[];

/** The error if the condition holds, else nothing: rules are lists of these. */
export const when = (condition: unknown, field: string, text: string, type?: FieldError['type']): FieldError[] =>
  condition ? [fieldError(field, text, type)] : [];

export const gateClosedText = (gate: string, entry?: string): string =>
  `${gate} feature gate is not enabled in kubevirt-config${entry ? `, invalid entry ${entry}` : ''}`;

/** One resource of a spec, read once: its value where it can be read, and its text for messages. */
export interface Amount {
  readonly field: string;
  readonly value?: Quantity;
  readonly text: string;
}

export function amount({ spec, path }: Subject, kind: 'requests' | 'limits', name: 'cpu' | 'memory'): Amount {
  const given = spec.domain.resources?.[kind]?.[name];
  const value = readQuantity(given);
  return {
    field: `${path}.domain.resources.${kind}.${name}`,
    value,
    text: value && given !== undefined ? canonicalQuantity(given) : '0',
  };
}

/** The indexes of entries whose name an earlier entry has, with that earlier index. */
export function duplicates(names: readonly string[]): (readonly [index: number, earlier: number])[] {
  const first = new Map<string, number>();
  return names.flatMap((name, index) => {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, index);
    return earlier === undefined ? [] : [[index, earlier] as const];
  });
}
