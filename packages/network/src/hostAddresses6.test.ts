import { expect, it } from 'vitest';
import { parseAddresses6, readAddresses6 } from './hostAddresses6.ts';
import { run } from './run.ts';
import { whyNoNamespaces } from './testing/namespaces.ts';

const TEXT = `00000000000000000000000000000001 01 80 10 80       lo
20010db8000000000000000000000007 02 40 00 80     eth0
20010db80000000000000000abcd0001 02 40 00 01     eth0
20010db8000000000000000000000006 02 40 00 a0     eth0
20010db8000000000000000000000005 02 40 00 c0     eth0
fe8000000000000000fc00fffe000001 02 40 20 80     eth0
fd000000000000000000000000000002 04 40 00 82     eth1
`;

it('lasting addresses are told from temporary, deprecated and tentative ones; those of the link do not count', () => {
  expect(parseAddresses6(TEXT).map(({ device, address, isLasting }) => `${device} ${address} ${isLasting}`)).toEqual([
    'eth0 2001:db8::5 false',
    'eth0 2001:db8::6 false',
    'eth0 2001:db8::7 true',
    'eth0 2001:db8::abcd:1 false',
    'eth1 fd00::2 true',
  ]);
});

const why = await whyNoNamespaces();
it.skipIf(why)('the kernel lists what ip has set', { meta: { whySkipped: why } }, async () => {
  const module = new URL('./hostAddresses6.ts', import.meta.url).href;
  const script = `ip link add br-test type bridge && ip link set br-test up &&
    ip addr add 2001:db8::7/64 dev br-test nodad &&
    ip addr add 2001:db8::6/64 dev br-test nodad preferred_lft 0 &&
    exec "$0" --input-type=module -e 'console.log(JSON.stringify(await (await import("${module}")).readAddresses6()))'`;
  expect(JSON.parse(await run('unshare', ['--net', 'sh', '-c', script, process.execPath]))).toEqual([
    { device: 'br-test', address: '2001:db8::6', isLasting: false },
    { device: 'br-test', address: '2001:db8::7', isLasting: true },
  ]);
  expect(Array.isArray(await readAddresses6())).toBe(true);
});
