import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host } from '../host/host.ts';
import { nodeLayout } from '../libvirtd/layout.ts';
import { podIn, vmiIn } from '../testing/objects.ts';
import { memlockLimit, setMemlockLimit } from './memlock.ts';

const MIB = 1024n ** 2n;
const overhead = (text: string) => podIn('Running', { annotations: { 'kubevirt.io/memory-overhead-bytes': text } });
const vmi = (memLock: 'Required' | 'NotRequired', guest = '64Mi') =>
  vmiIn('Running', {}, { domain: { devices: {}, memory: { guest, reservedOverhead: { memLock } } } });

it.each([
  ['all that it has', vmi('Required'), String(100n * MIB), 164n * MIB],
  ['the guest alone where the launcher says nothing', vmi('Required'), '', 64n * MIB],
  ['nothing where nobody asks', vmi('NotRequired'), String(100n * MIB), undefined],
])('a process may lock %s', (_, local, text, expected) => {
  expect(memlockLimit(local, overhead(text), 'amd64')).toBe(expected);
});

it('the limit follows the hypervisor of the launcher', () => {
  const pod = overhead('0');
  const stub = { ...pod, spec: { containers: [{ name: 'compute', command: ['launcher', '--hypervisor', 'stub'] }] } };
  expect(memlockLimit(vmi('Required'), stub, 'amd64')).toBeUndefined();
});

describe('the process of a guest', () => {
  const layout = nodeLayout('/tmp/vireo-memlock', false);
  /** Says of itself what QEMU says: limits can be lowered for any process, and raised only by the mighty. */
  const guest = spawn(
    process.execPath,
    ['-e', 'console.log(1); setInterval(() => {}, 1e6)', '--', '-name', 'guest=shop_web,x=y', `${layout.vmis}/disk`],
    { argv0: 'qemu-system-x86_64', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  beforeAll(async () => void (await once(guest.stdout, 'data')));
  afterAll(() => guest.kill());

  const events: string[] = [];
  const context = {
    host: { architecture: 'amd64' } as Host,
    layout,
    recorder: {
      event: (_: object, type: string, reason: string, message: string) => events.push(`${type} ${reason}: ${message}`),
    },
  };

  it('may lock exactly as much', async () => {
    const local = { key: 'shop/web', vmi: vmi('Required', '1Mi'), pod: overhead('4096') };
    await setMemlockLimit(local, context);
    expect(events).toEqual([]);
    expect(await readFile(`/proc/${guest.pid}/limits`, 'utf8')).toMatch(/^Max locked memory +1052672 +1052672 /m);
  });

  it('that is not there is an error', async () => {
    const local = { key: 'shop/other', vmi: vmi('Required', '1Mi'), pod: overhead('0') };
    await setMemlockLimit(local, context);
    expect(events).toEqual([
      'Warning MemlockFailed: 1048576 bytes of memory cannot be locked: its process does not exist',
    ]);
  });
});
