import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { cpuGroup } from './network/cpuShare.ts';
import { network, whyNot } from './network/index.ts';
import { FULL, type Plan } from './network/plan.ts';
import { pingMs, RECEIVED, rateOf, receive, roundTripMs, send } from './network/transfers.ts';
import { toJson } from './report.ts';

/** Just enough that the rules are changed in every way. Linux guests take too long to boot for a test. */
const TINY: Plan = { ...FULL, sizes: [2, 5], ruleRounds: 1, connections: 2 };

const why = whyNot();
describe.skipIf(why)('in a network namespace', { meta: { whySkipped: why } }, () => {
  it('changes rules in every way that it compares', async () => {
    const { results } = toJson('network', await network(TINY, ['rules'], () => {}));
    for (const { metric, value, baseline } of results) {
      expect(value, metric).toBeGreaterThan(0);
      expect(baseline, metric).toBeGreaterThan(0);
    }
    expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toMatchInlineSnapshot(`
      [
        "one endpoint more, 5 Services, vs 2: ms",
        "one endpoint less, 5 Services, vs 2: ms",
        "one endpoint more: what the kernel is told, 5 Services, vs 2: bytes",
        "one endpoint of a load balancer more, 5 Services, vs 2: ms",
        "one endpoint of a load balancer less, 5 Services, vs 2: ms",
        "one endpoint of a load balancer more: what the kernel is told, 5 Services, vs 2: bytes",
        "one guest more, 5 Services, vs 2: ms",
        "one guest less, 5 Services, vs 2: ms",
        "one guest more: what the kernel is told, 5 Services, vs 2: bytes",
        "one member of a policy more, 5 Services, vs 2: ms",
        "one member of a policy less, 5 Services, vs 2: ms",
        "one member of a policy more: what the kernel is told, 5 Services, vs 2: bytes",
        "one endpoint more, 5 Services, vs loading all rules: ms",
        "connection through one of 5 Services, vs directly: ms",
      ]
    `);
  });
});

/** Both ends of a connection; what comes in at the other end is handled by `serve`. */
async function connection(serve: (socket: Socket) => void): Promise<Socket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    server.close();
    serve(socket.on('error', () => {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

describe('a transfer', () => {
  it('is timed until everything is received', async () => {
    let bytes = 0;
    const socket = await connection((other) =>
      other.on('data', ({ length }) => (bytes += length)).on('end', () => other.end(`${RECEIVED}\n`)),
    );
    const sent = await send(socket, 0.05);
    expect(bytes).toBe(sent.bytes);
    expect(rateOf(sent)).toBeGreaterThan(0);
  });

  it('that is not received as a whole is an error', async () => {
    const socket = await connection((other) => other.resume().on('end', () => other.end('nothing')));
    await expect(send(socket, 0.01)).rejects.toThrow('the other side said nothing instead of received');
  });

  it('is received for as long as asked', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    const socket = await connection((other) => {
      const fill = (): void => {
        while (other.write(chunk));
      };
      other.on('drain', fill);
      fill();
    });
    expect(rateOf(await receive(socket, 0.05))).toBeGreaterThan(0);
  });

  it('goes to and fro', async () => {
    expect(await roundTripMs(await connection((other) => other.pipe(other)), 3)).toBeGreaterThan(0);
  });
});

it.each([
  ['busybox', 'round-trip min/avg/max = 1.300/6.078/10.574 ms', 6.078],
  ['iputils', 'rtt min/avg/max/mdev = 0.529/2.408/5.829/2.422 ms', 2.408],
  ['nobody', '3 packets transmitted, 0 packets received, 100% packet loss', undefined],
])('the mean of a ping that %s answers', (_, output, ms) => expect(pingMs(output)).toBe(ms));

it.each([
  ['version 1', 1, '4:memory:/a\n1:cpu,cpuacct:/vireo-1/b\n0::/\n', '/vireo-1/b'],
  ['version 2', 2, '1:name=systemd:/x\n0::/system.slice/vireo-1/b\n', '/system.slice/vireo-1/b'],
  ['no group', 1, '4:memory:/a\n', undefined],
] as const)('the group of a guest: %s', (_, version, groups, path) => expect(cpuGroup(groups, version)).toBe(path));
