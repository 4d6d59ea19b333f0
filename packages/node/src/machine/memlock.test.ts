import { expect, it } from 'vitest';
import { podIn, vmiIn } from '../testing/objects.ts';
import { memlockOf } from './memlock.ts';

const MIB = 1024n ** 2n;
const overhead = (text: string) => podIn('Running', { annotations: { 'kubevirt.io/memory-overhead-bytes': text } });
const vmi = (memLock: 'Required' | 'NotRequired') =>
  vmiIn('Running', {}, { domain: { devices: {}, memory: { guest: '64Mi', reservedOverhead: { memLock } } } });

it.each([
  ['all that it has', vmi('Required'), String(100n * MIB), 164n * MIB],
  ['the guest alone where the launcher says nothing', vmi('Required'), '', 64n * MIB],
  ['nothing where nobody asks', vmi('NotRequired'), String(100n * MIB), undefined],
])('a process may lock %s', (_, machine, text, expected) => {
  expect(memlockOf(machine, overhead(text), 'amd64')).toBe(expected);
});

it('follows the hypervisor of the launcher', () => {
  const pod = overhead('0');
  const stub = { ...pod, spec: { containers: [{ name: 'compute', command: ['launcher', '--hypervisor', 'stub'] }] } };
  expect(memlockOf(vmi('Required'), stub, 'amd64')).toBeUndefined();
});
