import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findNetwork, hasIpv6, readLinks, readTaps, run } from '@vireo/network';
import { whyNotRoot } from '@vireo/network/testing/whyNotRoot.ts';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runVireo } from '../vireo.ts';
import { useVms } from './fixture.ts';
import { linux } from './manifests.ts';
import { traffic } from './traffic.ts';

const whyNoIpv6 = (await hasIpv6()) ? undefined : 'this host has no IPv6';
const GUESTS = ['one', 'two', 'three'] as const;
type Guest = (typeof GUESTS)[number];

const userData = (name: string): string => `#cloud-config
write_files:
  - path: /www/index.html
    content: "this is ${name}"
runcmd:
  - httpd -p 8080 -h /www
`;

/** A guest that serves its name at port 8080. */
const machine = (name: Guest): object => {
  const vm = JSON.parse(
    linux(
      name,
      { cloudInitNoCloud: { userData: userData(name) } },
      {
        memory: '192Mi',
        devices: { interfaces: [{ name: 'default', masquerade: {} }] },
        spec: { networks: [{ name: 'default', pod: {} }], subdomain: 'peers', hostname: name },
      },
    ),
  );
  vm.spec.template.metadata = { labels: { app: name, tier: 'all' } };
  return vm;
};

const service = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
});

const policy = (name: string, spec: object): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec: { podSelector: { matchLabels: { app: 'one' } }, ...spec },
});

describe.skipIf(whyNotRoot)('VMs on the pod network', { meta: { whySkipped: whyNotRoot } }, () => {
  const { kubectl, create, server, home, startAgain } = useVms();
  const addresses = {} as Record<Guest, string>;

  /** Runs a script in a guest, through its agent. */
  const inGuest = async (guest: Guest, script: string): Promise<string> =>
    (await runVireo(['exec', guest, '--kubeconfig', server().kubeconfig, '--', 'sh', '-c', script])).output.trim();
  const wget = (guest: Guest, seconds: number, host: string, port: number): Promise<string> =>
    inGuest(guest, `timeout ${seconds} wget -qO- http://${host}:${port}/ 2>/dev/null || echo nothing`);
  /** What a guest gets from a web server, or that it gets nothing. On a busy host, an emulated guest takes its time. */
  const get = (guest: Guest, host: string, port = 80): Promise<string> => wget(guest, 20, host, port);
  /** The same where nothing is expected: packets that are dropped are not waited for as long. */
  const getSoon = (guest: Guest, host: string, port = 80): Promise<string> => wget(guest, 3, host, port);
  const fromHost = async (host: string, port = 80): Promise<string> =>
    fetch(`http://${host}:${port}/`, { signal: AbortSignal.timeout(20_000) }).then(
      (response) => response.text(),
      (error: Error) => `nothing: ${(error.cause as Error)?.message ?? error.message}`,
    );
  const apply = (...objects: object[]): Promise<void> => create(...objects.map((each) => JSON.stringify(each)));

  beforeAll(async () => {
    await apply(
      ...GUESTS.map(machine),
      service('web', { type: 'LoadBalancer', selector: { app: 'one' } }),
      service('peers', { clusterIP: 'None', selector: { tier: 'all' } }),
    );
    await kubectl.do(`wait ${GUESTS.map((name) => `vmi/${name}`).join(' ')} --for=jsonpath={.status.phase}=Running`);
    for (const name of GUESTS)
      addresses[name] = await kubectl(`get vmi ${name} -o jsonpath={.status.interfaces[0].ipAddress}`);
    await kubectl.do(
      `wait ${GUESTS.map((name) => `vmi/${name}`).join(' ')} --for=condition=AgentConnected --timeout=180s`,
    );
  }, 300_000);

  it('have an address of their own, which pod, VMI and guest agree on', async () => {
    expect(new Set(Object.values(addresses)).size).toBe(3);
    for (const name of GUESTS) {
      expect(await kubectl(`get pods -l app=${name} -o jsonpath={.items[0].status.podIP}`)).toBe(addresses[name]);
      expect(await inGuest(name, 'ip -4 addr show dev eth0')).toContain(`inet ${addresses[name]}/`);
    }
  }, 180_000);

  it('reach each other by address and by name', async () => {
    expect(await inGuest('two', `ping -c 1 -W 20 ${addresses.one} >/dev/null && echo answered`)).toBe('answered');
    expect(await get('two', addresses.one, 8080)).toBe('this is one');
    expect(await get('two', 'web')).toBe('this is one');
    expect(await get('two', 'web.default.svc.cluster.local')).toBe('this is one');
    expect(await get('one', 'three.peers', 8080)).toBe('this is three');
  }, 180_000);

  it('are reached through Services, from guests, from themselves and from the host', async () => {
    const { spec, status } = await kubectl.json<{
      spec: { clusterIP: string; ports: { nodePort: number }[] };
      status: { loadBalancer: { ingress: { ip: string }[] } };
    }>('get service web -o json');
    const [{ nodePort } = { nodePort: 0 }] = spec.ports;
    const [{ ip: balancer } = { ip: '' }] = status.loadBalancer.ingress;
    const node = await kubectl('get nodes -o "jsonpath={.items[0].status.addresses[0].address}"');
    expect(balancer).toBe(node);
    const found = [];
    for (const [host, port] of [
      [spec.clusterIP, 80],
      [node, nodePort],
      [balancer, 80],
    ] as const)
      found.push(await fromHost(host, port), await get('two', host, port), await get('one', host, port));
    expect(found).toEqual(found.map(() => 'this is one'));
  }, 180_000);

  it('have metrics of what they receive and send', async () => {
    await inGuest('one', 'head -c 500000 /dev/urandom >/www/large');
    await inGuest('two', `wget -qO /dev/null http://${addresses.one}:8080/large`);
    await vi.waitFor(async () => {
      const { received, sent } = await traffic(kubectl, 'two', 'default');
      expect(received).toBeGreaterThan(500_000);
      expect(sent).toBeLessThan(received);
    });
  }, 180_000);

  it('reach neither the loopback of the host nor what listens on its addresses', async () => {
    const listen = async (host: string) => {
      const listener = createServer((_, response) => response.end('the host')).listen(0, host);
      await once(listener, 'listening');
      return { listener, port: (listener.address() as AddressInfo).port };
    };
    const servers = { loopback: await listen('127.0.0.1'), everywhere: await listen('0.0.0.0') };
    const gateway = (await inGuest('two', 'ip route show default')).split(' ')[2] ?? '';
    const uplink = await kubectl('get nodes -o "jsonpath={.items[0].status.addresses[0].address}"');
    try {
      for (const { port } of Object.values(servers))
        for (const host of [gateway, uplink, '10.0.2.2']) expect(await getSoon('two', host, port)).toBe('nothing');
      expect(await fromHost(uplink, servers.everywhere.port)).toBe('the host');
    } finally {
      for (const { listener } of Object.values(servers)) listener.close();
    }
  }, 180_000);

  it('are not heard under the address or the name of another', async () => {
    const heard = `ping -c 1 -W 1 -I ${addresses.two} ${addresses.one} >/dev/null && echo heard || echo unheard`;
    await inGuest('three', `ip addr add ${addresses.two}/32 dev eth0`);
    expect(await inGuest('three', heard)).toBe('unheard');
    await inGuest('three', `arping -U -c 2 -I eth0 ${addresses.two} || true`);
    expect(await get('one', addresses.two, 8080)).toBe('this is two');
    await inGuest('three', `ip addr del ${addresses.two}/32 dev eth0`);
    expect(await get('three', addresses.one, 8080)).toBe('this is one');
  }, 180_000);

  /** Milliseconds from the end of a change until the kernel keeps others from guest one by policies, or does so no longer. */
  const untilClosed = async (isClosed: boolean, change: () => Promise<unknown>): Promise<number> => {
    const network = (await findNetwork(networkOwner(home()))) ?? '';
    const closed = async (): Promise<boolean> =>
      (await run('nft', ['list', 'map', 'inet', network, 'ingress'])).includes(`${addresses.one} : jump `);
    await change();
    const startedAt = performance.now();
    await expect.poll(closed, { timeout: 30_000, interval: 10 }).toBe(isClosed);
    return Math.round(performance.now() - startedAt);
  };

  it('are kept apart by a policy, and brought together by another', async () => {
    const close = (): Promise<void> => apply(policy('closed', { policyTypes: ['Ingress'] }));
    const closedAfter = [await untilClosed(true, close)];
    // From then on, nothing comes through: these are the first attempts.
    expect(await getSoon('two', 'web')).toBe('nothing');
    expect(await getSoon('two', addresses.one, 8080)).toBe('nothing');
    // Answers to what it asks itself still come.
    expect(await get('one', addresses.two, 8080)).toBe('this is two');
    await apply(
      policy('open-for-two', {
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'two' } } }], ports: [{ port: 8080 }] }],
      }),
    );
    await expect.poll(() => get('two', 'web'), { timeout: 60_000, interval: 200 }).toBe('this is one');
    expect(await getSoon('three', 'web')).toBe('nothing');
    await kubectl.do('delete networkpolicy open-for-two');
    const open = (): Promise<void> => kubectl.do('delete networkpolicy closed');
    const openAfter = [await untilClosed(false, open)];
    expect(await get('three', 'web')).toBe('this is one');
    // A busy host may keep one of these waiting for something else.
    for (let again = 0; again < 2 && Math.max(Math.min(...closedAfter), Math.min(...openAfter)) > 2_000; again++) {
      closedAfter.push(await untilClosed(true, close));
      openAfter.push(await untilClosed(false, open));
    }
    console.info(`a policy counts after ${closedAfter} ms, and no longer ${openAfter} ms after its deletion`);
    expect(Math.min(...closedAfter)).toBeLessThan(2_000);
    expect(Math.min(...openAfter)).toBeLessThan(2_000);
    expect(server().output()).not.toContain('the rules of the network');
  }, 240_000);

  it.skipIf(whyNoIpv6)('do all of it by IPv6, too', { timeout: 240_000, meta: { whySkipped: whyNoIpv6 } }, async () => {
    const address = await kubectl('get vmi one -o jsonpath={.status.interfaces[0].ipAddresses[1]}');
    expect(await kubectl('get pods -l app=one -o jsonpath={.items[0].status.podIPs[1].ip}')).toBe(address);
    for (const name of ['one', 'two'] as const) {
      const isThere = (): Promise<string> => inGuest(name, 'ip -6 addr show dev eth0 scope global');
      await expect.poll(isThere, { timeout: 30_000 }).toContain('/128');
    }
    await apply(
      service('web6', { type: 'LoadBalancer', ipFamilies: ['IPv6'], selector: { app: 'one' } }),
      service('peers6', { clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack', selector: { app: 'one' } }),
    );
    const clusterIp = await kubectl('get service web6 -o jsonpath={.spec.clusterIP}');
    await expect.poll(() => get('two', 'web6'), { timeout: 60_000 }).toBe('this is one');
    expect(await get('two', `[${address}]`, 8080)).toBe('this is one');
    expect(await get('one', `[${clusterIp}]`)).toBe('this is one');
    expect(await fromHost(`[${clusterIp}]`)).toBe('this is one');
    const balancer = 'get service web6 -o jsonpath={.status.loadBalancer.ingress[0].ip}';
    const [node6] = (await kubectl('get nodes -o "jsonpath={.items[0].status.addresses[*].address}"'))
      .split(' ')
      .filter((each) => each.includes(':'));
    // A host may have IPv6 without an address that others reach.
    if (node6) {
      await kubectl.until(balancer, new RegExp(`^${node6}$`));
      await expect.poll(() => fromHost(`[${node6}]`)).toBe('this is one');
      expect(await get('two', `[${node6}]`)).toBe('this is one');
    }
    expect(await inGuest('two', 'nslookup -type=aaaa peers6.default.svc.cluster.local')).toContain(address);
    await apply(policy('closed6', { policyTypes: ['Ingress'] }));
    await expect.poll(() => getSoon('two', `[${address}]`, 8080), { timeout: 30_000, interval: 200 }).toBe('nothing');
    await kubectl.do('delete networkpolicy closed6');
    await expect.poll(() => get('two', `[${address}]`, 8080), { timeout: 60_000 }).toBe('this is one');
    const other = await kubectl('get vmi two -o jsonpath={.status.interfaces[0].ipAddresses[1]}');
    await inGuest('three', 'echo 0 >/proc/sys/net/ipv6/conf/eth0/dad_transmits');
    await inGuest('three', `ip -6 addr add ${other}/128 dev eth0`);
    // An address that the kernel still checks cannot send at all, which would look like the answer.
    await inGuest('three', 'while ip -6 addr show dev eth0 | grep -q tentative; do usleep 100000; done');
    const heard = (seconds: number): string =>
      `ping -6 -c 1 -W ${seconds} -I ${other} ${address} >/dev/null && echo heard || echo unheard`;
    expect([await inGuest('three', heard(2)), await inGuest('two', heard(20))]).toEqual(['unheard', 'heard']);
    await inGuest('three', `ip -6 addr del ${other}/128 dev eth0`);
  });

  it('keep their connections when Vireo is killed, and what is wrong then is put right', async () => {
    await inGuest('one', '(sleep 1000 | nc -l -p 9000) >/tmp/received 2>&1 </dev/null &');
    await inGuest(
      'two',
      `(while sleep 0.2; do echo tick; done | nc ${addresses.one} 9000) >/dev/null 2>&1 </dev/null &`,
    );
    const received = async (): Promise<number> => Number(await inGuest('one', 'wc -l </tmp/received'));
    await expect.poll(received, { timeout: 60_000 }).toBeGreaterThan(2);
    const network = (await findNetwork(networkOwner(home()))) ?? '';
    const taps = await readTaps(network);

    await apply(service('late', { selector: { app: 'two' } }));
    await server().kill();
    execFileSync('ip', ['tuntap', 'add', 'dev', 'vtleftover', 'mode', 'tap']);
    execFileSync('ip', ['link', 'set', 'vtleftover', 'alias', `card of ${network}`]);
    execFileSync('nft', ['delete', 'table', 'inet', network]);
    await startAgain();

    const before = await received();
    await expect.poll(received, { timeout: 60_000 }).toBeGreaterThan(before);
    expect(await readTaps(network)).toEqual(taps);
    const late = await kubectl('get service late -o jsonpath={.spec.clusterIP}');
    expect(await run('nft', ['list', 'map', 'inet', network, 'endpoints'])).toContain(`${late} . tcp . `);
    expect(await get('one', 'late')).toBe('this is two');
    await inGuest('two', 'killall nc');
  }, 240_000);

  it('leave nothing of the network when Vireo is taken down', async () => {
    const owner = networkOwner(home());
    const network = (await findNetwork(owner)) ?? '';
    const taps = await readTaps(network);
    expect(taps).toHaveLength(3);
    await server().stop();
    const { code } = await runVireo(['down', '--home', home(), '--force']);
    expect(code).toBe(0);
    expect(await findNetwork(owner)).toBeUndefined();
    expect((await readLinks()).map(({ ifname }) => ifname)).not.toEqual(expect.arrayContaining([taps[0]]));
    // Another home may have taken the name since.
    const tables = await run('nft', ['list', 'tables']);
    if (tables.split(/\s/).includes(network))
      expect((await readLinks()).map(({ ifname }) => ifname)).toContain(network);
  }, 240_000);
});
