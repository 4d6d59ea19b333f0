import type { Clock } from '@vireo/api/kinds/kubevirt/clock.ts';
import type { FeatureHyperv, Features } from '@vireo/api/kinds/kubevirt/features.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { fillUnset, type Proposal } from './layer.ts';

const ON = { enabled: true } as const;

/** A feature that is named is on, unless it says otherwise; ACPI is on when it is not named. */
export function proposeFeatures(features: Features | undefined): Proposal<Features> {
  const { hyperv, hypervPassthrough, apic, smm, pvspinlock } = features ?? {};
  return {
    acpi: ON,
    apic: apic && ON,
    smm: smm && ON,
    pvspinlock: pvspinlock && ON,
    hypervPassthrough: hypervPassthrough && ON,
    hyperv: hyperv && proposeHyperv(hyperv),
  };
}

function proposeHyperv(hyperv: FeatureHyperv): Proposal<FeatureHyperv> {
  const named = Object.entries(hyperv).filter(([, state]) => state !== undefined);
  const { spinlocks, synictimer } = hyperv;
  return {
    ...Object.fromEntries(named.map(([name]) => [name, ON])),
    ...(spinlocks && { spinlocks: { ...ON, spinlocks: spinlocks.enabled === false ? undefined : 4096 } }),
    ...(synictimer && { synictimer: { ...ON, direct: synictimer.direct && ON } }),
  };
}

/** A timer that is named is there, unless it says otherwise. */
export function proposeTimers(clock: Clock | undefined): Proposal<Clock> | undefined {
  const named = Object.entries(clock?.timer ?? {}).filter(([, timer]) => timer !== undefined);
  if (named.length === 0) return undefined;
  return { timer: Object.fromEntries(named.map(([name]) => [name, { present: true }])) };
}

type HypervName = keyof FeatureHyperv;

/** What one enlightenment needs another for, in the order in which they are looked at. */
const NEEDS: readonly (readonly [feature: HypervName, needs: HypervName])[] = [
  ['evmcs', 'vapic'],
  ['ipi', 'vpindex'],
  ['tlbflush', 'vpindex'],
  ['reset', 'synic'],
  ['synictimer', 'synic'],
  ['synic', 'vpindex'],
];

/** Turns on what the enabled enlightenments need. Where the user turned it off, validation will say so. */
export function fulfilHypervNeeds(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  let hyperv = spec.domain.features?.hyperv;
  if (!hyperv) return spec;
  for (const [feature, needs] of NEEDS) {
    if (hyperv[feature]?.enabled) hyperv = fillUnset<FeatureHyperv>(hyperv, { [needs]: ON });
  }
  const filled = fillUnset(spec, { domain: { features: {} } });
  const { domain } = filled;
  const vmx = hyperv.evmcs?.enabled && !domain.cpu?.features?.some(({ name }) => name === 'vmx');
  const cpuFeatures = [...(domain.cpu?.features ?? []), ...(vmx ? [{ name: 'vmx', policy: 'require' }] : [])];
  return {
    ...filled,
    domain: {
      ...domain,
      ...(vmx && { cpu: { ...domain.cpu, features: cpuFeatures } }),
      features: { ...domain.features, hyperv },
    },
  };
}

/** The unfulfilled needs of a spec: `[feature, what it needs]`. */
export const missingHypervNeeds = (hyperv: FeatureHyperv): (readonly [HypervName, HypervName])[] =>
  NEEDS.filter(([feature, needs]) => hyperv[feature]?.enabled && !hyperv[needs]?.enabled);
