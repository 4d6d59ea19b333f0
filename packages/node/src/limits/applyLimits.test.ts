import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { nodeLayout } from '../libvirtd/layout.ts';
import { emptyCache, type LocalVmi } from '../vmi/localVmi.ts';
import { applyLimits } from './applyLimits.ts';

const failure = (code: string): Error => new Error(`systemd-run failed: ${code}`, { cause: { code } });

it.each([
  ['a moment', 'EAGAIN', 2],
  ['good', 'EINVAL', 1],
])('limits that cannot be set for %s', async (_, code, tries) => {
  const home = await mkdtemp(join(tmpdir(), 'vireo-limits-'));
  const layout = nodeLayout(home, true);
  const words = ['-c', 'echo; read x', 'qemu-system-x86_64', '-name', 'guest=shop_web', `${layout.vmis}/disk`];
  const guest = spawn('sh', words, { argv0: 'qemu-system-x86_64' });
  try {
    await once(guest.stdout, 'data');
    await mkdir(join(layout.libvirt, 'run/qemu'), { recursive: true });
    await writeFile(join(layout.libvirt, 'run/qemu/shop_web.pid'), String(guest.pid));
    let nowMs = 1_000_000;
    const limit = vi.fn<(uid: string, pid: number) => Promise<void>>().mockRejectedValueOnce(failure(code));
    const event = vi.fn();
    const vmi = { spec: { domain: { devices: {} } } };
    const local = {
      key: 'shop/web',
      uid: 'u',
      vmi,
      pod: { metadata: {}, spec: { containers: [] } },
      cache: emptyCache(),
    };
    const context = { groups: { isEnabled: true, limit }, layout, recorder: { event }, clock: { now: () => nowMs } };
    const apply = () => applyLimits(local as unknown as LocalVmi, context as unknown as NodeContext);
    const againMs = (await apply()) ?? 0;
    expect(await apply()).toBe(tries === 1 ? undefined : againMs);
    nowMs += againMs;
    for (let count = 0; count < 3; count++) await apply();
    expect(limit).toHaveBeenCalledTimes(tries);
    expect(limit).toHaveBeenCalledWith('u', guest.pid, expect.anything());
    expect(event).toHaveBeenCalledOnce();
  } finally {
    guest.kill('SIGKILL');
    await rm(home, { recursive: true });
  }
});
