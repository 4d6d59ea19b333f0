import { expect, it } from 'vitest';
import { domainView } from './domainView.ts';

/** As libvirt writes it, shortened. */
const XML = `<domain type='qemu' id='1'>
  <name>shop_web</name>
  <metadata><vireo:vmi xmlns:vireo="urn:vireo:vmi:1" name="&lt;disk type=&apos;x&apos;>"/></metadata>
  <os>
    <type arch='x86_64' machine='pc-q35-7.2'>hvm</type>
  </os>
  <devices>
    <disk type='file' device='disk' model='virtio-non-transitional'>
      <target dev='vda' bus='virtio'/>
      <alias name='ua-root'/>
    </disk>
    <disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/>
      <source file='/home/ada &amp; bob/disk.img' index='3'/>
      <target dev='sda' bus='sata'/>
      <alias name='ua-seed'/>
    </disk>
    <disk type='file' device='cdrom'>
      <source index='8'/>
      <target dev='sdb' bus='sata' tray='open'/>
      <alias name='ua-empty'/>
    </disk>
    <interface type='user'>
      <mac address='02:00:00:00:00:01'/>
      <model type='virtio-non-transitional'/>
      <link state='down'/>
      <alias name='ua-default'/>
    </interface>
    <interface type='ethernet'>
      <mac address='02:00:00:00:00:02'/>
      <model type='virtio-non-transitional'/>
      <driver name='vhost' queues='4'/>
      <alias name='ua-second'/>
    </interface>
    <interface type='user'>
      <mac address='02:00:00:00:00:03'/>
      <model type='e1000e'/>
      <alias name='ua-old'/>
    </interface>
    <channel type='unix'>
      <target type='virtio' name='org.qemu.guest_agent.0' state='connected'/>
    </channel>
  </devices>
</domain>`;

it("reads what libvirt tells of a machine's devices", () => {
  expect(domainView(XML)).toEqual({
    machineType: 'pc-q35-7.2',
    diskTargets: { root: 'vda', seed: 'sda', empty: 'sdb' },
    drives: {
      seed: { target: 'sda', isTrayOpen: false, source: '/home/ada & bob/disk.img' },
      empty: { target: 'sdb', isTrayOpen: true, source: undefined },
    },
    cards: {
      default: { mac: '02:00:00:00:00:01', linkState: 'down', queueCount: 1 },
      second: { mac: '02:00:00:00:00:02', linkState: 'up', queueCount: 4 },
      old: { mac: '02:00:00:00:00:03', linkState: 'up', queueCount: 0 },
    },
    isAgentConnected: true,
  });
});

it('an agent whose channel is closed is not there', () => {
  expect(domainView(XML.replace("state='connected'", "state='disconnected'")).isAgentConnected).toBe(false);
});

it('nothing in a description that says nothing', () => {
  expect(domainView('<domain/>')).toEqual({ diskTargets: {}, drives: {}, cards: {}, isAgentConnected: false });
});
