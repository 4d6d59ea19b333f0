import { expect, it } from 'vitest';
import { run } from './run.ts';
import { whyNoNamespaces } from './testing/namespaces.ts';

const why = await whyNoNamespaces();
it.skipIf(why)(
  'a host has the addresses that count beyond their link, of devices that are up',
  { meta: { whySkipped: why } },
  async () => {
    const module = new URL('./hostAddresses4.ts', import.meta.url).href;
    // The bridge has no carrier, but packets to its address are for this host.
    const script = `ip link set lo up && ip addr add 198.51.100.7/32 dev lo &&
    ip link add br-test type bridge && ip link set br-test up && ip addr add 192.0.2.7/24 dev br-test &&
    ip addr add 192.0.2.6/24 dev br-test && ip addr add 169.254.1.1/16 scope link dev br-test &&
    ip link add br-down type bridge && ip addr add 203.0.113.1/24 dev br-down &&
    exec "$0" --input-type=module -e 'console.log(JSON.stringify(await (await import("${module}")).readAddresses4()))'`;
    expect(JSON.parse(await run('unshare', ['--net', 'sh', '-c', script, process.execPath]))).toEqual([
      '192.0.2.6',
      '192.0.2.7',
      '198.51.100.7',
    ]);
  },
);
