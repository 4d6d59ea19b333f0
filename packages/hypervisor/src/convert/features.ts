import type { FeatureHyperv } from '@vireo/api/kinds/kubevirt/features.ts';
import { el, type XmlElement } from '../xml.ts';
import { type Conversion, isEnabled, type Topic, wholeNumber } from './conversion.ts';
import { ConversionError } from './error.ts';

/** ACPI, APIC, SMM; and, where a hypervisor shows itself to the guest, KVM's and Hyper-V's interfaces. */
export const features: Topic = (conversion) => {
  const { domain, architecture, hypervisor } = conversion;
  const { acpi, apic, smm } = domain.features ?? {};
  return [
    el(
      'features',
      {},
      acpi?.enabled !== false && architecture !== 's390x' && el('acpi'),
      isEnabled(apic) && el('apic', { eoi: apic?.endOfInterrupt ? 'on' : undefined }),
      ...(hypervisor.isAccelerated ? paravirtual(conversion) : []),
      // A guest in real time is not to be disturbed by counters.
      domain.cpu?.realtime && el('pmu', { state: 'off' }),
      smm !== undefined && el('smm', { state: isEnabled(smm) ? 'on' : 'off' }),
      architecture === 'amd64' && el('vmport', { state: 'off' }),
    ),
  ];
};

function paravirtual({ domain, architecture }: Conversion): XmlElement[] {
  const { hyperv, hypervPassthrough, kvm, pvspinlock } = domain.features ?? {};
  const isDedicated = domain.cpu?.dedicatedCpuPlacement && architecture === 'amd64';
  return [
    isEnabled(hypervPassthrough) ? el('hyperv', { mode: 'passthrough' }) : undefined,
    hyperv && !isEnabled(hypervPassthrough) ? el('hyperv', { mode: 'custom' }, ...enlightenments(hyperv)) : undefined,
    kvm || isDedicated
      ? el(
          'kvm',
          {},
          kvm && el('hidden', { state: kvm.hidden ? 'on' : 'off' }),
          // The guest need not make way for others.
          isDedicated && el('hint-dedicated', { state: 'on' }),
        )
      : undefined,
    pvspinlock ? el('pvspinlock', { state: isEnabled(pvspinlock) ? 'on' : 'off' }) : undefined,
  ].filter((element) => element !== undefined);
}

/** Fields of the API that are a plain switch, and libvirt's names for them. */
const SWITCHES = {
  relaxed: 'relaxed',
  vapic: 'vapic',
  vpindex: 'vpindex',
  runtime: 'runtime',
  synic: 'synic',
  reset: 'reset',
  frequencies: 'frequencies',
  reenlightenment: 'reenlightenment',
  ipi: 'ipi',
  evmcs: 'evmcs',
} as const;

function enlightenments(hyperv: FeatureHyperv): XmlElement[] {
  const switches = Object.entries(SWITCHES).flatMap(([field, name]) => {
    const state = hyperv[field as keyof typeof SWITCHES];
    return state ? [el(name, { state: onOff(state) })] : [];
  });
  return [...switches, ...featuresWithValues(hyperv)];
}

const onOff = (state: { enabled?: boolean }): string => (isEnabled(state) ? 'on' : 'off');

function featuresWithValues({ spinlocks, synictimer, tlbflush, vendorid }: FeatureHyperv): XmlElement[] {
  const path = 'spec.domain.features.hyperv';
  if (isEnabled(tlbflush?.direct) || isEnabled(tlbflush?.extended)) {
    throw new ConversionError(
      `${path}.tlbflush`,
      'this version of libvirt supports neither direct nor extended flushes',
    );
  }
  const retries = spinlocks?.spinlocks ?? 4096;
  const direct = isEnabled(synictimer?.direct) ? el('direct', { state: 'on' }) : undefined;
  return [
    spinlocks &&
      el('spinlocks', {
        state: onOff(spinlocks),
        retries: isEnabled(spinlocks)
          ? wholeNumber(retries, 4095, 2 ** 32 - 1, `${path}.spinlocks.spinlocks`)
          : undefined,
      }),
    synictimer && el('stimer', { state: onOff(synictimer) }, isEnabled(synictimer) && direct),
    tlbflush && el('tlbflush', { state: onOff(tlbflush) }),
    vendorid &&
      el('vendor_id', { state: onOff(vendorid), value: vendorId(vendorid.vendorid, `${path}.vendorid.vendorid`) }),
  ].filter((element) => element !== undefined);
}

function vendorId(value: string | undefined, field: string): string | undefined {
  if (value === undefined) return undefined;
  if (!/^[^,]{1,12}$/.test(value)) throw new ConversionError(field, 'must be 1 to 12 characters without a comma');
  return value;
}
