import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefineFlags, UndefineFlags } from '@vireo/libvirt';
import { TestLibvirtd } from '@vireo/libvirt/testing/libvirtd.ts';
import { expect, it } from 'vitest';

const GOLDENS = join(import.meta.dirname, '../../hypervisor/src/convert/goldens');

it('libvirt takes every domain that is made for KVM, where it knows KVM', async ({ skip }) => {
  const daemon = await TestLibvirtd.start();
  try {
    const libvirt = await daemon.connect();
    const isKnown = await libvirt.domainCapabilities({ arch: 'x86_64', machine: 'q35', virtType: 'kvm' }).then(
      () => true,
      () => false,
    );
    if (!isKnown) return skip('libvirt knows KVM only where there is /dev/kvm');
    const files = (await readdir(GOLDENS)).filter((name) => name.endsWith('.xml'));
    const texts = await Promise.all(files.map((name) => readFile(join(GOLDENS, name), 'utf8')));
    // Not every libvirt is built with passt.
    const domains = texts.filter((xml) => xml.startsWith('<domain type="kvm"') && !xml.includes('"passt"'));
    expect(domains.length).toBeGreaterThan(10);
    for (const xml of domains) {
      const ref = await libvirt.defineDomain(xml, DefineFlags.VALIDATE);
      await libvirt.undefineDomain(ref, UndefineFlags.KEEP_NVRAM | UndefineFlags.KEEP_TPM);
    }
    await libvirt.close();
  } finally {
    await daemon.stop();
  }
});
