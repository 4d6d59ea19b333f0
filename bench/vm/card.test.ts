import { describe, expect, it } from 'vitest';
import { withCard } from './card.ts';

describe('the card of a guest beside', () => {
  const domain = `<devices>
    <interface type='ethernet'>
      <mac address='02:87:14:d5:92:51'/>
      <target dev='vt8714d592514a' managed='no'/>
      <model type='virtio-non-transitional'/>
      <mtu size='1450'/>
      <rom enabled='no'/>
    </interface>
    <serial type='unix'><target type='isa-serial' port='0'/></serial>
  </devices>`;

  it('is in a network of libvirt’s', () => {
    expect(withCard(domain, { mac: '02:00:00:00:01:0a', network: 'bench' })).toMatchInlineSnapshot(`
      "<devices>
          <interface type='network'><source network='bench'/>
            <mac address='02:00:00:00:01:0a'/>
            <model type='virtio-non-transitional'/>
            <rom enabled='no'/>
          </interface>
          <serial type='unix'><target type='isa-serial' port='0'/></serial>
        </devices>"
    `);
  });

  it('keeps its own hardware address', () => {
    expect(withCard(domain, {})).toContain("<interface type='user'>\n      <mac address='02:87:14:d5:92:51'/>");
  });

  it('has user networking', () => {
    expect(withCard(domain, { mac: '02:00:00:00:01:0a' })).toMatchInlineSnapshot(`
      "<devices>
          <interface type='user'>
            <mac address='02:00:00:00:01:0a'/>
            <model type='virtio-non-transitional'/>
            <rom enabled='no'/>
          </interface>
          <serial type='unix'><target type='isa-serial' port='0'/></serial>
        </devices>"
    `);
  });

  it('replaces one card', () => {
    expect(() => withCard('<devices/>', { mac: '02:00:00:00:01:0a' })).toThrow('has not one card of the pod network');
  });
});
