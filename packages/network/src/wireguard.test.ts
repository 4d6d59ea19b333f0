import { expect, it } from 'vitest';
import { CommandError } from './run.ts';
import { newWireguardKey, wireguardPeerWords, wireguardProblem, wireguardPublicKey } from './wireguard.ts';

// By `wg pubkey`, and the second of RFC 7748, section 6.1.
it.each([
  ['dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=', 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='],
  ['XasIfmJKikt54X+Lg4AO5m87sSkmGLb9HC+LJ/+I4Os=', '3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08='],
])('the public key of %s', (privateKey, publicKey) => {
  expect(wireguardPublicKey(privateKey)).toBe(publicKey);
});

it('keys are different, and have the form that wg takes', () => {
  const [one, other] = [newWireguardKey(), newWireguardKey()];
  expect(one).not.toBe(other);
  expect(wireguardPublicKey(one)).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});

const publicKey = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=';
const peer = { publicKey, port: 51_820, underlay: '192.0.2.12', ranges: ['10.244.1.0/24', '10.244.0.7/32'] };

it('a node may send from its ranges and from guests that moved there', () => {
  expect(wireguardPeerWords('vireo0-wg', peer).join(' ')).toBe(
    `set vireo0-wg peer ${publicKey} endpoint 192.0.2.12:51820 allowed-ips 10.244.1.0/24,10.244.0.7/32`,
  );
});

it.each([
  [{ publicKey: 'x; reboot' }, 'is not a key of WireGuard'],
  [{ underlay: 'elsewhere' }, 'is not an IPv4 address'],
  [{ port: 0 }, 'is not the number of a port'],
  [{ ranges: ['0.0.0.0/0,::/0'] }, 'is not an IPv6 range'],
  [{ ranges: ['10.0.0.0/8,10.1.0.0/16'] }, 'is not an IPv4 range'],
])('what other nodes say is checked: %j', (change, message) => {
  expect(() => wireguardPeerWords('vireo0-wg', { ...peer, ...change })).toThrow(message);
});

const missing = Object.assign(new Error(), { code: 'ENOENT' });
it.each([
  [new CommandError('ip -batch -', 'Error: Unknown device type.'), 'NoWireGuard'],
  [new CommandError('ip -batch -', 'RTNETLINK answers: Operation not supported'), 'NoWireGuard'],
  [new CommandError('wg set vireo0-wg', 'spawn wg ENOENT', { cause: missing }), 'NoWireGuardTools'],
  [new CommandError('ip -batch -', 'RTNETLINK answers: Operation not permitted'), undefined],
  [new Error('something else'), undefined],
])('%s', (error, reason) => {
  expect(wireguardProblem(error)?.reason).toBe(reason);
});
