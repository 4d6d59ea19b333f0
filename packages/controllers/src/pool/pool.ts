import type { Persisted } from '@vireo/api';
import type { VirtualMachinePoolSelectionPolicy } from '@vireo/api/kinds/pool/poolStrategies.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { type Selector, selectorFromObject, validateLabelSelector } from '@vireo/api/labelSelector.ts';

export type Pool = Persisted<VirtualMachinePool>;
export const Pool = VirtualMachinePool;
export type PoolStatus = NonNullable<Pool['status']>;
export type PoolSpec = Pool['spec'];

/** How many VMs are wanted. */
export const wantedReplicas = ({ spec }: Pool): number => Math.max(0, spec.replicas ?? 1);

/** The selector of a pool, or why the pool cannot be reconciled. */
export type Parsed = { readonly selector: Selector } | { readonly problem: string };

/** Pools are reconciled again and again as the same cached object; their selectors are parsed once. */
const cache = new WeakMap<Pool, Parsed>();

/** Admission refuses invalid pools; one that was stored without it gets the problem as its ReplicaFailure. */
export function parse(pool: Pool): Parsed {
  const cached = cache.get(pool);
  if (cached) return cached;
  const parsed = parseSpec(pool);
  cache.set(pool, parsed);
  return parsed;
}

function parseSpec({ spec: { selector: given, virtualMachineTemplate: template } }: Pool): Parsed {
  if (!template?.spec?.template?.spec)
    return { problem: 'spec.virtualMachineTemplate.spec.template.spec is missing: set the spec of the VMs' };
  const [invalid] = validateLabelSelector(given ?? {}, 'spec.selector');
  if (invalid) return { problem: `${invalid.field}: ${invalid.text}` };
  const selector = selectorFromObject(given);
  if (selector.requirements.length === 0)
    return { problem: 'spec.selector selects every VM: set it to the labels of spec.virtualMachineTemplate.metadata' };
  if (!selector.matches(template.metadata?.labels))
    return { problem: `spec.selector (${selector}) does not match the labels of spec.virtualMachineTemplate.metadata` };
  return { selector };
}

/** Whether the pool deletes VMs to shrink, lets others do so and looks after what they leave, or does not care. */
export type Strategy = 'proactive' | 'opportunistic' | 'unmanaged';

const strategyOf = (given: { readonly opportunistic?: object; readonly unmanaged?: object } | undefined): Strategy =>
  given?.unmanaged ? 'unmanaged' : given?.opportunistic ? 'opportunistic' : 'proactive';

export const scaleInStrategy = ({ spec }: Pool): Strategy => strategyOf(spec.scaleInStrategy);
export const updateStrategy = ({ spec }: Pool): Strategy => strategyOf(spec.updateStrategy);

export const scaleInPolicy = ({ spec }: Pool): VirtualMachinePoolSelectionPolicy =>
  spec.scaleInStrategy?.proactive?.selectionPolicy ?? {};
export const updatePolicy = ({ spec }: Pool): VirtualMachinePoolSelectionPolicy =>
  spec.updateStrategy?.proactive?.selectionPolicy ?? {};

/** How many VMs may be down during an update: at least one, for otherwise it would never end. */
export function maxUnavailable(pool: Pool): number {
  const { maxUnavailable: given = '100%' } = pool.spec;
  const percent = /^(\d+)%$/.exec(String(given))?.[1];
  const count = percent === undefined ? Number(given) : Math.floor((wantedReplicas(pool) * Number(percent)) / 100);
  return Number.isFinite(count) ? Math.max(1, count) : 1;
}
