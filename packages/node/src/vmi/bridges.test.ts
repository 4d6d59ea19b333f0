import { describe, expect, it } from 'vitest';
import { userNetwork } from '../network/guestNetwork.ts';
import { vmiIn } from '../testing/objects.ts';
import { parseBridge } from './bridges.ts';
import { networkBackends } from './networks.ts';

const parse = (config: unknown) =>
  parseBridge(
    'blue',
    'NetworkAttachmentDefinition shop/blue',
    typeof config === 'string' ? config : JSON.stringify(config),
  );

describe('a CNI configuration', () => {
  it.each([
    ['a bridge', { type: 'bridge', bridge: 'br1' }, { bridge: 'br1' }],
    ['with a size of packets', { type: 'bridge', bridge: 'br1', mtu: 9000 }, { bridge: 'br1', mtu: 9000 }],
    [
      'the first of a list',
      { plugins: [{ type: 'cnv-bridge', bridge: 'br1' }, { type: 'tuning' }] },
      { bridge: 'br1' },
    ],
  ])('%s', (_, config, expected) => {
    expect(parse(config)).toEqual(expected);
  });

  it.each([
    ['no JSON', '{', /network "blue": spec.config of .* shop\/blue is not valid JSON/],
    ['another type', { type: 'macvlan', master: 'eth0' }, /type "macvlan"; only the type bridge is supported/],
    ['no name', { type: 'bridge' }, /has an invalid bridge name/],
    ['a path', { type: 'bridge', bridge: '../../etc' }, /has an invalid bridge name: "..\/..\/etc"/],
    ['dots', { type: 'bridge', bridge: '..' }, /has an invalid bridge name/],
    ['a name beyond what the kernel takes', { type: 'bridge', bridge: 'a'.repeat(16) }, /has an invalid bridge name/],
  ])('%s is refused', (_, config, message) => {
    expect(() => parse(config)).toThrow(message);
  });
});

describe('the interfaces of a VMI', () => {
  const vmi = vmiIn(
    'Scheduled',
    {},
    {
      domain: { devices: { interfaces: [{ name: 'default' }, { name: 'blue' }, { name: 'gone', state: 'absent' }] } },
      networks: [
        { name: 'default', pod: {} },
        { name: 'blue', multus: { networkName: 'blue' } },
        { name: 'gone', multus: { networkName: 'gone' } },
      ],
    },
  );

  it('are joined each to its network', async () => {
    const backends = await networkBackends(
      vmi,
      async ({ multus }) => ({ bridge: `br-${multus?.networkName}` }),
      userNetwork('', ''),
    );
    const mac = expect.stringMatching(/^02:/);
    expect(backends).toEqual({
      default: { kind: 'user', mac },
      blue: { kind: 'bridge', bridge: 'br-blue', mac },
    });
  });
});
