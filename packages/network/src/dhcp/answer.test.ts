import { describe, expect, it } from 'vitest';
import { dhcpRequest, readReply } from '../testing/dhcp.ts';
import { answerDhcp, type Lease } from './answer.ts';
import { ACK, DECLINE, DISCOVER, INFORM, NAK, OFFER, OPTION, RELEASE, REQUEST } from './message.ts';

const MAC = '02:00:00:00:00:07';
const SERVER = '10.244.0.1';
const lease: Lease = {
  address: '10.244.0.7',
  netmask: '255.255.0.0',
  router: SERVER,
  dnsServers: [SERVER],
  search: ['default.svc.cluster.local', 'svc.cluster.local'],
  hostname: 'web',
  mtu: 1450,
};
const leaseOf = (mac: string): Lease | undefined => (mac === MAC ? lease : undefined);
const answer = (type: number, more: Partial<Parameters<typeof dhcpRequest>[0]> = {}, of = leaseOf) =>
  answerDhcp(dhcpRequest({ type, mac: MAC, ...more }), SERVER, of);
const reply = (...of: Parameters<typeof answer>) => {
  const { message, to } = answer(...of) ?? {};
  return message && { ...readReply(message), to };
};

describe('a DHCP server', () => {
  it('offers a card its address, with everything that it needs', () => {
    const offer = reply(DISCOVER);
    expect(offer).toMatchObject({ type: OFFER, address: '10.244.0.7', server: SERVER });
    const text = Object.fromEntries([...(offer?.options ?? [])].map(([code, value]) => [code, value.toString('hex')]));
    expect(text).toMatchObject({
      [OPTION.subnetMask]: 'ffff0000',
      [OPTION.router]: '0af40001',
      [OPTION.dnsServers]: '0af40001',
      [OPTION.mtu]: '05aa',
      [OPTION.hostname]: Buffer.from('web').toString('hex'),
      [OPTION.leaseTime]: '00015180',
    });
    expect(offer?.options.get(OPTION.search)?.toString('latin1')).toBe(
      '\x07default\x03svc\x07cluster\x05local\x00\x03svc\x07cluster\x05local\x00',
    );
  });

  it.each([
    ['confirms the address that it offered', { requested: '10.244.0.7' }, ACK, true],
    ['confirms a renewal', { clientAddress: '10.244.0.7' }, ACK, false],
    ['refuses another address, so that the client asks anew', { requested: '10.0.0.9' }, NAK, true],
    ['refuses to renew another address', { clientAddress: '10.0.0.9' }, NAK, true],
  ])('%s', (_title, more, type, isFirst) => {
    const found = reply(REQUEST, more);
    expect(found).toMatchObject({ type });
    expect(found?.options.has(OPTION.router)).toBe(type === ACK);
    expect(found?.isBroadcast).toBe(type === NAK);
    expect(found?.clientAddress).toBe(type === ACK && !isFirst ? '10.244.0.7' : '0.0.0.0');
    expect(found?.to).toBe('10.244.0.7');
  });

  it('keeps the flag of a client that can hear only broadcasts', () => {
    expect(reply(DISCOVER, { isBroadcast: true })?.isBroadcast).toBe(true);
    expect(reply(DISCOVER)?.isBroadcast).toBe(false);
  });

  it('tells a client that has its address the rest', () => {
    const found = reply(INFORM, { clientAddress: '10.244.0.7' });
    expect(found).toMatchObject({ type: ACK, address: '0.0.0.0' });
    expect(found?.options.has(OPTION.leaseTime)).toBe(false);
    expect(found?.options.has(OPTION.dnsServers)).toBe(true);
    expect(answer(INFORM, { clientAddress: '10.0.0.9' })).toBeUndefined();
  });

  it('prefers the options that a VMI sets', () => {
    const extra = [[OPTION.bootFile, Buffer.from('boot')] as const, [OPTION.mtu, Buffer.from([5, 0])] as const];
    const found = reply(DISCOVER, {}, () => ({ ...lease, extra }));
    expect(found?.options.get(OPTION.bootFile)?.toString()).toBe('boot');
    expect(found?.options.get(OPTION.mtu)?.toString('hex')).toBe('0500');
  });

  it('splits options that are longer than 255 bytes', () => {
    const search = Array.from({ length: 12 }, (_, index) => `namespace-${index}.svc.cluster.local`);
    const whole = reply(DISCOVER, {}, () => ({ ...lease, search }))?.options.get(OPTION.search);
    expect(whole?.length).toBeGreaterThan(255);
    expect(whole?.toString('latin1')).toContain('namespace-11');
  });

  it.each([
    ['a card that it does not know', dhcpRequest({ type: DISCOVER, mac: '02:00:00:00:00:08' })],
    ['a request for another server', dhcpRequest({ type: REQUEST, mac: MAC, server: '10.0.0.1' })],
    ['a release', dhcpRequest({ type: RELEASE, mac: MAC })],
    ['a declined address', dhcpRequest({ type: DECLINE, mac: MAC })],
    ['nothing', Buffer.alloc(0)],
    ['a message that is too short', dhcpRequest({ type: DISCOVER, mac: MAC }).subarray(0, 200)],
    [
      'an option that ends behind the message',
      Buffer.concat([dhcpRequest({ type: DISCOVER, mac: MAC }).subarray(0, 243), Buffer.from([12, 200])]),
    ],
    ['noise', Buffer.alloc(400, 0xa5)],
  ])('does not answer %s', (_title, message) => {
    expect(answerDhcp(message, SERVER, leaseOf)).toBeUndefined();
  });
});
