import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Persisted, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const isRoot = process.getuid?.() === 0;
/** Where libvirt keeps the TPMs of guests without a user of their own. */
const swtpm = (): string => join(cluster.layout.libvirt, isRoot ? 'lib/swtpm' : 'etc/libvirt/qemu/swtpm');
const list = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

/** The firmware of a boot-sector guest matters as much as the guest's: it is there before there is anything to boot. */
const vmWithFirmware = (name: string, isPersistent: boolean): VirtualMachine => {
  const plain = bootSectorVm(name);
  const { domain, ...spec } = plain.spec.template.spec ?? { domain: { devices: {} } };
  const persistent = isPersistent ? { persistent: true } : {};
  return bootSectorVm(name, {
    ...spec,
    terminationGracePeriodSeconds: 0,
    domain: {
      ...domain,
      features: { acpi: {}, smm: { enabled: true } },
      firmware: { ...domain.firmware, bootloader: { efi: { secureBoot: true, ...persistent } } },
      devices: { ...domain.devices, tpm: { ...persistent } },
    },
  });
};

const create = async (vm: VirtualMachine): Promise<Persisted<VirtualMachineInstance>> => {
  await cluster.admin.of(VirtualMachine).create(vm);
  return cluster.vmis.until(vm.metadata.name ?? '', isRunning);
};
const stateClaims = async () =>
  (await cluster.admin.of(PersistentVolumeClaim).list({ ...at, labelSelector: 'persistent-state-for' })).items;

describe('what firmware remembers', () => {
  it('is kept on a claim of the VM, from one VMI to the next', async () => {
    const first = await create(vmWithFirmware('keeper', true));
    const [claim, ...others] = await stateClaims();
    expect(others).toEqual([]);
    expect(claim?.metadata).toMatchObject({
      name: expect.stringMatching(/^persistent-state-for-keeper-/),
      labels: { 'persistent-state-for': 'keeper' },
      ownerReferences: [{ kind: 'VirtualMachine', name: 'keeper' }],
    });
    expect(claim?.spec).toMatchObject({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } });
    const claimName = claim?.metadata.name;
    expect(first.status?.volumeStatus).toContainEqual(
      expect.objectContaining({ name: claimName, persistentVolumeClaimInfo: expect.objectContaining({ claimName }) }),
    );
    const { spec } = await cluster.admin.of(PersistentVolume).get(claim?.spec?.volumeName ?? '');
    const directory = spec?.local?.path ?? '';
    const variables = join(directory, 'nvram/vars.fd');
    const { ino } = await stat(variables);
    // Enrolled keys are what Secure Boot begins with: Microsoft's certificate is among the variables.
    expect((await readFile(variables)).includes('Microsoft Corporation UEFI CA')).toBe(true);
    expect(await list(join(directory, 'swtpm/tpm2'))).toContain('tpm2-00.permall');
    if (isRoot) {
      const owners = [variables, join(directory, 'swtpm/tpm2'), join(directory, 'swtpm/tpm2/tpm2-00.permall')];
      for (const path of owners) expect((await stat(path)).uid).toBe(first.status?.runtimeUser);
    } else expect((await lstat(join(swtpm(), first.metadata.uid))).isSymbolicLink()).toBe(true);

    await cluster.admin
      .of(VirtualMachine)
      .patch('keeper', { spec: { runStrategy: 'Halted' } }, { ...at, type: 'merge' });
    await cluster.vmis.gone('keeper');
    await vi.waitFor(async () => expect(await list(swtpm())).toEqual([]));
    expect(await list(join(directory, 'swtpm/tpm2'))).toContain('tpm2-00.permall');

    await cluster.admin
      .of(VirtualMachine)
      .patch('keeper', { spec: { runStrategy: 'Always' } }, { ...at, type: 'merge' });
    const isNext = (vmi: VirtualMachineInstance): boolean => isRunning(vmi) && vmi.metadata.uid !== first.metadata.uid;
    const next = await cluster.vmis.until('keeper', isNext);
    if (isRoot) expect((await stat(variables)).uid).toBe(next.status?.runtimeUser);
    expect((await stat(variables)).ino).toBe(ino);
    expect(await stateClaims()).toHaveLength(1);

    await cluster.admin.of(VirtualMachine).delete('keeper', at);
    await cluster.vms.gone('keeper');
    await vi.waitFor(async () => expect(await stateClaims()).toEqual([]), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await list(directory)).toEqual([]), { timeout: 20_000 });
  }, 60_000);

  it('goes with the VMI where nobody asks for more', async () => {
    const { metadata } = await create(vmWithFirmware('forgetful', false));
    const variables = join(cluster.layout.vmis, metadata.uid, 'nvram.fd');
    expect((await stat(variables)).size).toBeGreaterThan(0);
    const tpm = isRoot ? join(cluster.layout.vmis, metadata.uid, 'tpm') : join(swtpm(), metadata.uid);
    expect((await lstat(tpm)).isDirectory()).toBe(true);
    expect(await stateClaims()).toEqual([]);
    await cluster.admin.of(VirtualMachine).delete('forgetful', at);
    await cluster.vms.gone('forgetful');
    await vi.waitFor(async () => expect([await list(swtpm()), await list(cluster.layout.vmis)]).toEqual([[], []]), {
      timeout: 20_000,
    });
  }, 60_000);
});
