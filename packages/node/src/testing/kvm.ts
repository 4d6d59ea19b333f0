import { type KvmProbe, probeKvm } from '../host/probeKvm.ts';

/** `npm run kvm` sets `VIREO_TEST_KVM=required`: the guests of tests run with KVM, or the tests fail. */
export const isKvmRequired = process.env.VIREO_TEST_KVM === 'required';

/** Whether guests of tests run with KVM. They are emulated unless it is required, so that every host tests the same. */
export async function kvmOfTests(): Promise<KvmProbe> {
  if (!isKvmRequired) return { isUsable: false, reason: 'the test says so' };
  // The lab is too slow for the probe's limit of time. A KVM that does not work there fails the tests all the same.
  if (process.env.VIREO_TEST_LAB === '1') return { isUsable: true, reason: '' };
  const probe = await probeKvm();
  if (!probe.isUsable) throw new Error(`VIREO_TEST_KVM=required, but KVM cannot be used: ${probe.reason}`);
  return probe;
}
