import { expect, it } from 'vitest';
import { kvmReason, tryAccelerator } from './probeKvm.ts';

const WORDS = 'failed to initialize kvm: Permission denied';

it.each([
  [
    'a device that others may use',
    { exists: true, isAllowed: false },
    /cannot access \/dev\/kvm: run `sudo usermod -aG kvm/,
  ],
  ['no device', { exists: false, isAllowed: false }, /^failed to/],
  ['a device that does not work', { exists: true, isAllowed: true }, /^failed to/],
])('%s', (_, device, expected) => {
  const reason = kvmReason(WORDS, device);
  expect(reason).toMatch(expected);
  expect(reason).toContain(WORDS);
});

it('the guest of the probe reaches 64-bit mode on a processor that can', async () => {
  expect(await tryAccelerator('tcg')).toEqual({ isUsable: true, reason: '' });
});
