import type { HostCapabilities } from '@vireo/hypervisor';
import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('a question that failed is asked again only after a while, and an answer is kept', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const capabilities = {} as HostCapabilities;
  const ask = remembered(
    async (virtType) => {
      asked.push(virtType);
      if (virtType === 'kvm' && nowMs < 1000) throw new Error('no libvirtd');
      return capabilities;
    },
    { now: () => nowMs },
    1000,
  );
  for (nowMs = 0; nowMs < 1000; nowMs += 500) await expect(ask('kvm')).rejects.toThrow('no libvirtd');
  expect([await ask('kvm'), await ask('kvm'), await ask('qemu'), await ask('qemu')]).toEqual(
    Array(4).fill(capabilities),
  );
  expect(asked).toEqual(['kvm', 'kvm', 'qemu']);
});
