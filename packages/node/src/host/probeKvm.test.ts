import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type KvmDevice, kvmObstacle, readKvmDevice } from './kvmDevice.ts';
import { probeKvm, tryAccelerator } from './probeKvm.ts';

const isRoot = process.getuid?.() === 0;

describe('before a guest is tried, /dev/kvm', () => {
  const forbidden: KvmDevice = { code: 'EACCES', mode: 0o660, group: 'kvm' };
  it.each<[string, KvmDevice, string | undefined, RegExp]>([
    ['can be opened', {}, undefined, /^$/],
    ['is not there', { code: 'ENOENT' }, 'missing', /no virtualization; on your own hardware, enable VT-x or AMD-V/],
    ['lacks its module', { code: 'ENOENT', extension: 'svm' }, 'missing', /`sudo modprobe kvm_amd`/],
    ['is a node without a driver', { code: 'ENXIO', extension: 'vmx' }, 'missing', /`sudo modprobe kvm_intel`/],
    ['is for a group', forbidden, 'forbidden', /sudo usermod -aG kvm "\$USER"/],
    ['is root’s alone', { ...forbidden, mode: 0o600, group: 'root' }, 'forbidden', /root’s alone/],
    ['is kept from root', { ...forbidden, isRoot: true }, 'forbidden', /the container or sandbox/],
    ['fails in another way, which QEMU explains better', { code: 'EBUSY' }, undefined, /^$/],
  ])('%s', (_, device, finding, reason) => {
    const obstacle = kvmObstacle(device);
    expect(obstacle?.finding).toBe(finding);
    expect(obstacle?.reason ?? '').toMatch(reason);
  });

  it('is looked at', async () => {
    expect(await readKvmDevice('/nowhere/kvm')).toMatchObject({ code: 'ENOENT' });
    expect(await readKvmDevice('/dev/null')).toEqual({});
    if (!isRoot) expect(await readKvmDevice('/etc/shadow')).toMatchObject({ code: 'EACCES' });
  });
});

it('the guest of the probe reaches 64-bit mode on a processor that can', async () => {
  expect(await tryAccelerator('tcg')).toEqual({ isUsable: true, reason: '' });
});

it('a device that is root’s alone is told from one that is of no use', async ({ skip }) => {
  const device = await stat('/dev/kvm').catch(() => undefined);
  if (!isRoot || !device) return skip('needs root and /dev/kvm');
  const nobody = { uid: 65534, gid: 65534 };
  expect(await tryAccelerator('tcg', nobody)).toMatchObject({ isUsable: true });
  const [own, theirs] = [await probeKvm(), await probeKvm(nobody)];
  expect(own.finding).not.toBe('forbidden');
  const mayOthers = (device.mode & 0o006) === 0o006;
  if (!mayOthers) expect(theirs).toMatchObject({ finding: 'forbidden', isUsable: false });
  else expect(theirs.finding).toBe(own.finding);
});
