import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { whyNotRoot } from '@vireo/network/testing/whyNotRoot.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runVireo } from '../vireo.ts';
import { echoProgram } from './echoProgram.ts';
import { useVms } from './fixture.ts';
import { linux } from './manifests.ts';
import { traffic } from './traffic.ts';

const program = fileURLToPath(new URL('../../bin/vireo', import.meta.url));
const [BRIDGE, GREEN] = [`e2e-br${process.pid % 100_000}`, `e2e-gr${process.pid % 100_000}`];
/** A device for macvtaps: one end of a cable. */
const WIRE = `e2e-w${process.pid % 100_000}`;
const ip = (...args: string[]): unknown => execFileSync('ip', args, { stdio: 'ignore' });
/** Of this run only: the node routes them, and refuses a range that it has a route to. */
const [SUBNET, SECOND] = [`10.77.${process.pid % 256}`, `10.79.${process.pid % 256}`];

/** A bridge that Vireo makes, and addresses on it that it gives out. */
const routed = (name: string, bridge: string, subnet: string): string =>
  JSON.stringify({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name },
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        type: 'bridge',
        bridge,
        isGateway: true,
        macspoofchk: true,
        ipam: { type: 'host-local', subnet: `${subnet}.0/24` },
      }),
    },
  });

/** Guests whose cards are on the same device reach each other. */
const wire = JSON.stringify({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'wire' },
  spec: { config: JSON.stringify({ cniVersion: '0.3.1', type: 'macvtap', master: WIRE }) },
});

const mac = (card: number, vm: number): string => `02:00:00:00:0${card}:0${vm}`;

const USER_DATA = `#cloud-config
write_files:
  - path: /usr/bin/echo-datagrams
    permissions: "0755"
    encoding: b64
    content: ${echoProgram(7).toString('base64')}
runcmd:
  - /usr/bin/echo-datagrams &
`;

/** A Linux guest on the pod network and on the bridge, which asks for its address on each. */
const onBridge = (name: string, number: number): string => {
  const networkData = [
    'version: 2',
    'ethernets:',
    `  pod: { match: { macaddress: "${mac(1, number)}" }, dhcp4: true }`,
    `  blue: { match: { macaddress: "${mac(2, number)}" }, dhcp4: true }`,
    `  wire: { match: { macaddress: "${mac(3, number)}" }, addresses: [10.78.0.${number}/24] }`,
  ].join('\n');
  return linux(
    name,
    { cloudInitNoCloud: { userData: USER_DATA, networkData } },
    {
      memory: '192Mi',
      devices: {
        interfaces: [
          { name: 'default', masquerade: {}, macAddress: mac(1, number), ports: [{ port: 7, protocol: 'UDP' }] },
          { name: 'blue', bridge: {}, model: 'e1000', macAddress: mac(2, number) },
          { name: 'wire', bridge: {}, macAddress: mac(3, number) },
        ],
      },
      spec: {
        networks: [
          { name: 'default', pod: {} },
          { name: 'blue', multus: { networkName: 'blue' } },
          { name: 'wire', multus: { networkName: 'wire' } },
        ],
      },
    },
  );
};

/** Which of them is the first depends on whose driver is. */
const CARD = expect.stringMatching(/^eth\d$/);

describe.skipIf(whyNotRoot)('networks of VMs', { meta: { whySkipped: whyNotRoot } }, () => {
  const { kubectl, console, create, server, clear } = useVms();

  beforeAll(() => {
    ip('link', 'add', WIRE, 'type', 'veth', 'peer', 'name', `${WIRE}p`);
    for (const end of [WIRE, `${WIRE}p`]) ip('link', 'set', end, 'up');
  });
  afterAll(() => {
    ip('link', 'del', WIRE);
  });

  /** The address on the bridge: it is known as soon as the guest runs. */
  async function addressOf(name: string): Promise<string> {
    const { status } = await kubectl.json<{ status: { interfaces: { ipAddress?: string }[] } }>(
      `get vmi ${name} -o json`,
    );
    return status.interfaces[1]?.ipAddress ?? '';
  }

  async function ping(address: string, wanted: RegExp): Promise<void> {
    const session = await console('one');
    await vi.waitFor(
      async () => {
        session.type(`sudo ping -c 1 -W 1 ${address} >/dev/null && echo reach''ed || echo unreach''able\r`);
        const text = await session.until(/(un)?reach(ed|able)\r?\n/);
        expect([...text.matchAll(/(un)?reach(ed|able)(?=\r?\n)/g)].at(-1)?.[0]).toMatch(wanted);
      },
      { timeout: 60_000 },
    );
    await session.close();
  }

  it('guests have all their addresses, and say so', async () => {
    await create(routed('blue', BRIDGE, SUBNET), wire, onBridge('one', 1), onBridge('two', 2));
    const session = await console('one');
    session.type('\r');
    await session.until(/login:/);
    session.type('vireo\r');
    await session.until(/Password:/);
    session.type('vireo\r');
    await session.until(/[$#] /);
    await session.close();
    await kubectl.do('wait vmi/one vmi/two --for=condition=AgentConnected --timeout=180s');
    await kubectl.until('get vmi one -o jsonpath={.status.interfaces[2].ipAddress}', /^10\.78\.0\.1$/);
    const { status } = await kubectl.json<{ status: { interfaces: object[] } }>('get vmi one -o json');
    expect(status.interfaces).toMatchObject([
      { name: 'default', mac: mac(1, 1), linkState: 'up', interfaceName: CARD, infoSource: 'domain, guest-agent' },
      {
        name: 'blue',
        mac: mac(2, 1),
        linkState: 'up',
        interfaceName: CARD,
        ipAddress: expect.stringContaining(`${SUBNET}.`),
      },
      { name: 'wire', mac: mac(3, 1), linkState: 'up', interfaceName: CARD, ipAddress: '10.78.0.1' },
    ]);
  }, 300_000);

  it('guests reach each other over the bridge, while the cable is in', async () => {
    await kubectl.do('wait vmi/one vmi/two --for=jsonpath={.status.phase}=Running --timeout=60s');
    await ping(await addressOf('two'), /^reached/);
    await ping(`${SUBNET}.1`, /^reached/);
    await ping('10.78.0.2', /^reached/);
    const path = '/spec/template/spec/domain/devices/interfaces/1/state';
    const plug = (value: string): Promise<void> =>
      kubectl.do(`patch vm one --type=json -p '${JSON.stringify([{ op: 'add', path, value }])}'`);
    await plug('down');
    await kubectl.until('get vmi one -o jsonpath={.status.interfaces[1].linkState}', /^down$/);
    await ping(await addressOf('two'), /^unreachable/);
    await plug('up');
    await kubectl.until('get vmi one -o jsonpath={.status.interfaces[1].linkState}', /^up$/);
    await ping(await addressOf('two'), /^reached/);
  }, 240_000);

  it('metrics of each card tell what the guest has received and sent', async () => {
    const inGuest = (name: string, script: string): Promise<unknown> =>
      runVireo(['exec', name, '--kubeconfig', server().kubeconfig, '--', 'sh', '-c', script]);
    // Without replies, both directions differ.
    await inGuest('two', 'echo 1 >/proc/sys/net/ipv4/icmp_echo_ignore_all');
    for (const address of [await addressOf('two'), '10.78.0.2'])
      await inGuest('one', `ping -q -c 200 -i 0.02 -s 1400 -W 1 ${address}; true`);
    await inGuest('two', 'echo 0 >/proc/sys/net/ipv4/icmp_echo_ignore_all');
    for (const card of ['blue', 'wire'])
      await vi.waitFor(async () => {
        const [one, two] = [await traffic(kubectl, 'one', card), await traffic(kubectl, 'two', card)];
        expect({ card, isSent: one.sent > 200_000, isReceived: two.received > 200_000 }).toEqual({
          card,
          isSent: true,
          isReceived: true,
        });
        expect({ card, isLess: one.received < one.sent && two.sent < two.received }).toEqual({ card, isLess: true });
      });
  }, 120_000);

  it('a card is plugged into a guest that runs, is used, and is unplugged', async () => {
    const base = '/spec/template/spec';
    const card = { name: 'green', bridge: {}, macAddress: mac(4, 1) };
    const patch = (...operations: object[]): Promise<void> =>
      kubectl.do(`patch vm one --type=json -p '${JSON.stringify(operations)}'`);
    await create(routed('green', GREEN, SECOND));
    await patch(
      { op: 'add', path: `${base}/domain/devices/interfaces/-`, value: card },
      { op: 'add', path: `${base}/networks/-`, value: { name: 'green', multus: { networkName: 'green' } } },
    );
    await kubectl.until('get vmi one -o jsonpath={.status.interfaces[3].mac}', new RegExp(`^${mac(4, 1)}$`));
    // The guest asks for an address as soon as it has the card.
    await ping(`${SECOND}.1`, /^reached/);
    await patch({ op: 'add', path: `${base}/domain/devices/interfaces/3/state`, value: 'absent' });
    await kubectl.until('get vm one -o jsonpath={.spec.template.spec.networks[*].name}', /^default blue wire$/);
    await kubectl.until('get vmi one -o jsonpath={.status.interfaces[*].name}', /^default blue wire$/);
    expect(await kubectl.json('get vm one -o json')).not.toMatchObject({
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'RestartRequired' })]) },
    });
    await ping(`${SECOND}.1`, /^unreachable/);
    await vi.waitFor(async () => expect(await readdir('/sys/class/net')).not.toContain(GREEN));
  }, 240_000);

  it('datagrams come in through port-forward, and answers go out', async () => {
    const args = ['port-forward', 'vmi/one', 'udp/0:7', '--kubeconfig', server().kubeconfig];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    const socket = createSocket('udp4');
    const answers: string[] = [];
    socket.on('message', (message) => answers.push(message.toString()));
    try {
      await vi.waitFor(
        () => {
          socket.send('is anybody there', local, '127.0.0.1');
          expect(answers).toContain('is anybody there');
        },
        { timeout: 60_000, interval: 500 },
      );
    } finally {
      socket.close();
      child.kill();
      await once(child, 'exit');
    }
    await clear();
    await vi.waitFor(async () => expect(await readdir('/sys/class/net')).not.toContain(BRIDGE));
  }, 120_000);
});
