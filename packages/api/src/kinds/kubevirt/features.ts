import { boolean, type Infer, int64, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const FeatureState = struct('io.kubevirt.v1.FeatureState', 'Turns a feature on or off.', {
  enabled: optional(boolean, 'Whether the feature is on. Defaults to true.'),
});
export interface FeatureState extends Infer<typeof FeatureState> {}

export const FeatureAPIC = struct(
  'io.kubevirt.v1.FeatureAPIC',
  'Advanced Programmable Interrupt Controller (APIC) of the guest.',
  {
    enabled: optional(boolean, 'Whether the APIC is on. Defaults to true.'),
    endOfInterrupt: optional(boolean, 'Whether the guest hears of the end of an interrupt.'),
  },
);
export interface FeatureAPIC extends Infer<typeof FeatureAPIC> {}

export const FeatureKVM = struct('io.kubevirt.v1.FeatureKVM', 'How much of KVM the guest can detect.', {
  hidden: optional(boolean, 'Whether to hide KVM from the guest.'),
});
export interface FeatureKVM extends Infer<typeof FeatureKVM> {}

export const FeatureSpinlocks = struct(
  'io.kubevirt.v1.FeatureSpinlocks',
  'How often the guest retries a spinlock before it notifies the host.',
  {
    enabled: optional(boolean, 'Whether the feature is on. Defaults to true.'),
    spinlocks: optional(int64, 'The number of tries, 4096 or more.'),
  },
);
export interface FeatureSpinlocks extends Infer<typeof FeatureSpinlocks> {}

export const FeatureVendorID = struct(
  'io.kubevirt.v1.FeatureVendorID',
  'Vendor ID that the hypervisor reports to the guest.',
  {
    enabled: optional(boolean, 'Whether the feature is on. Defaults to true.'),
    vendorid: optional(string, 'The name, of at most twelve characters.'),
  },
);
export interface FeatureVendorID extends Infer<typeof FeatureVendorID> {}

export const SyNICTimer = struct('io.kubevirt.v1.SyNICTimer', 'Timers of the synthetic interrupt controller (SynIC).', {
  direct: optional(FeatureState, 'Whether the timers use direct mode, which costs fewer exits to the host.'),
  enabled: optional(boolean, 'Whether the feature is on. Defaults to true.'),
});
export interface SyNICTimer extends Infer<typeof SyNICTimer> {}

export const TLBFlush = struct(
  'io.kubevirt.v1.TLBFlush',
  'Lets the guest ask the hypervisor to flush TLBs of other CPUs.',
  {
    direct: optional(FeatureState, 'Whether nested guests can flush directly.'),
    enabled: optional(boolean, 'Whether the feature is on. Defaults to true.'),
    extended: optional(FeatureState, 'Whether the guest can flush part of a TLB.'),
  },
);
export interface TLBFlush extends Infer<typeof TLBFlush> {}

export const FeatureHyperv = struct(
  'io.kubevirt.v1.FeatureHyperv',
  'Hyper-V enlightenments. They make Windows guests faster.',
  {
    evmcs: optional(FeatureState, 'Enlightened VMCS, for faster nested virtualization. Needs vapic.'),
    frequencies: optional(FeatureState, 'Lets the guest read the frequencies of the TSC and the APIC.'),
    ipi: optional(FeatureState, 'Paravirtualized interrupts between CPUs. Needs vpindex.'),
    reenlightenment: optional(FeatureState, 'Notifies the guest when the TSC frequency changes, as after a migration.'),
    relaxed: optional(FeatureState, 'Relaxes watchdog timeouts in the guest, so that a busy host does not crash it.'),
    reset: optional(FeatureState, 'The guest can be reset through the hypervisor. Needs synic.'),
    runtime: optional(FeatureState, 'Lets the guest read how long its virtual CPUs really ran.'),
    spinlocks: optional(FeatureSpinlocks, 'Number of attempts to acquire a lock before the host is notified.'),
    synic: optional(FeatureState, 'Synthetic interrupt controller (SynIC). Needs vpindex.'),
    synictimer: optional(SyNICTimer, 'Timers of the synthetic interrupt controller. Needs synic.'),
    tlbflush: optional(TLBFlush, 'Address translations are flushed by the hypervisor. Needs vpindex.'),
    vapic: optional(FeatureState, 'Virtual APIC, for faster interrupt handling.'),
    vendorid: optional(FeatureVendorID, 'The maker that the hypervisor gives itself out for.'),
    vpindex: optional(FeatureState, 'Lets the guest read the index of each virtual CPU.'),
  },
);
export interface FeatureHyperv extends Infer<typeof FeatureHyperv> {}

export const HyperVPassthrough = struct(
  'io.kubevirt.v1.HyperVPassthrough',
  'Enables all Hyper-V enlightenments that the host supports.',
  {
    enabled: optional(boolean, 'Whether the feature is on. Defaults to true. Such a guest cannot be migrated.'),
  },
);
export interface HyperVPassthrough extends Infer<typeof HyperVPassthrough> {}

export const Features = struct('io.kubevirt.v1.Features', 'Hypervisor features that the guest sees.', {
  acpi: optional(FeatureState, 'Power management and device tables (ACPI). Defaults to on.'),
  apic: optional(FeatureAPIC, 'Advanced Programmable Interrupt Controller (APIC).'),
  hyperv: optional(FeatureHyperv, 'Hyper-V enlightenments, set one by one.'),
  hypervPassthrough: optional(HyperVPassthrough, 'All of Hyper-V that the host can offer, instead of hyperv.'),
  kvm: optional(FeatureKVM, 'How much the guest sees of KVM.'),
  pvspinlock: optional(FeatureState, 'Paravirtualized spinlocks, which notify the host while they wait.'),
  smm: optional(FeatureState, 'System management mode, which secure boot needs.'),
});
export interface Features extends Infer<typeof Features> {}
