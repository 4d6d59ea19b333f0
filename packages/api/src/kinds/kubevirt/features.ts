import { boolean, type Infer, int64, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const FeatureState = struct('io.kubevirt.v1.FeatureState', 'Whether a feature is on.', {
  enabled: optional(boolean, 'True when missing.'),
});
export interface FeatureState extends Infer<typeof FeatureState> {}

export const FeatureAPIC = struct('io.kubevirt.v1.FeatureAPIC', 'The interrupt controller.', {
  enabled: optional(boolean, 'True when missing.'),
  endOfInterrupt: optional(boolean, 'Whether the guest hears of the end of an interrupt.'),
});
export interface FeatureAPIC extends Infer<typeof FeatureAPIC> {}

export const FeatureKVM = struct('io.kubevirt.v1.FeatureKVM', 'How much the guest sees of KVM.', {
  hidden: optional(boolean, 'Whether the guest cannot tell that it runs on KVM.'),
});
export interface FeatureKVM extends Infer<typeof FeatureKVM> {}

export const FeatureSpinlocks = struct(
  'io.kubevirt.v1.FeatureSpinlocks',
  'How often the guest tries a lock before it asks the host.',
  {
    enabled: optional(boolean, 'True when missing.'),
    spinlocks: optional(int64, 'The number of tries, 4096 or more.'),
  },
);
export interface FeatureSpinlocks extends Infer<typeof FeatureSpinlocks> {}

export const FeatureVendorID = struct(
  'io.kubevirt.v1.FeatureVendorID',
  'The maker that the hypervisor gives itself out for.',
  {
    enabled: optional(boolean, 'True when missing.'),
    vendorid: optional(string, 'The name, of at most twelve characters.'),
  },
);
export interface FeatureVendorID extends Infer<typeof FeatureVendorID> {}

export const SyNICTimer = struct('io.kubevirt.v1.SyNICTimer', 'Timers of the synthetic interrupt controller.', {
  direct: optional(FeatureState, 'Whether they interrupt directly.'),
  enabled: optional(boolean, 'True when missing.'),
});
export interface SyNICTimer extends Infer<typeof SyNICTimer> {}

export const TLBFlush = struct('io.kubevirt.v1.TLBFlush', 'Lets the hypervisor flush address translations.', {
  direct: optional(FeatureState, 'Whether nested guests flush directly.'),
  enabled: optional(boolean, 'True when missing.'),
  extended: optional(FeatureState, 'Whether parts can be flushed.'),
});
export interface TLBFlush extends Infer<typeof TLBFlush> {}

export const FeatureHyperv = struct(
  'io.kubevirt.v1.FeatureHyperv',
  'What of Hyper-V the guest finds. Windows runs faster with it.',
  {
    evmcs: optional(FeatureState, 'Faster nested virtualization. Needs vapic.'),
    frequencies: optional(FeatureState, 'Registers that tell the frequencies of the clocks.'),
    ipi: optional(FeatureState, 'Faster interrupts between processors. Needs vpindex.'),
    reenlightenment: optional(FeatureState, "Notices when the clock's frequency changes."),
    relaxed: optional(FeatureState, "The guest's watchdogs are patient."),
    reset: optional(FeatureState, 'The guest can be reset through the hypervisor. Needs synic.'),
    runtime: optional(FeatureState, 'The guest can tell how long its processors really ran.'),
    spinlocks: optional(FeatureSpinlocks, 'How often a lock is tried before the host is asked.'),
    synic: optional(FeatureState, 'The synthetic interrupt controller.'),
    synictimer: optional(SyNICTimer, 'Timers of the synthetic interrupt controller. Needs synic.'),
    tlbflush: optional(TLBFlush, 'Address translations are flushed by the hypervisor. Needs vpindex.'),
    vapic: optional(FeatureState, 'Faster handling of interrupts.'),
    vendorid: optional(FeatureVendorID, 'The maker that the hypervisor gives itself out for.'),
    vpindex: optional(FeatureState, 'Processors can tell their number.'),
  },
);
export interface FeatureHyperv extends Infer<typeof FeatureHyperv> {}

export const HyperVPassthrough = struct('io.kubevirt.v1.HyperVPassthrough', 'All of Hyper-V that the host can offer.', {
  enabled: optional(boolean, 'True when missing. Such a machine cannot be migrated.'),
});
export interface HyperVPassthrough extends Infer<typeof HyperVPassthrough> {}

export const Features = struct('io.kubevirt.v1.Features', 'What the emulated computer can do.', {
  acpi: optional(FeatureState, 'Power management and device tables; on unless said otherwise.'),
  apic: optional(FeatureAPIC, 'The interrupt controller.'),
  hyperv: optional(FeatureHyperv, 'What of Hyper-V the guest finds.'),
  hypervPassthrough: optional(HyperVPassthrough, 'All of Hyper-V that the host can offer, instead of hyperv.'),
  kvm: optional(FeatureKVM, 'How much the guest sees of KVM.'),
  pvspinlock: optional(FeatureState, 'Locks that tell the host when they wait.'),
  smm: optional(FeatureState, 'System management mode, which secure boot needs.'),
});
export interface Features extends Infer<typeof Features> {}
