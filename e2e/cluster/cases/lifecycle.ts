import { createConnection } from 'node:net';
import { join } from 'node:path';
import { bootSectorMarker } from '@vireo/node';
import { describe, expect, it, vi } from 'vitest';
import { lineWith, spawnVireo } from '../../vireo.ts';
import { vm } from '../../vms/manifests.ts';
import { stepsOn, TIMEOUT, type UseCluster } from '../fixture.ts';

/** Create, start, stop, restart, logs, console and screen of one VM. */
export function lifecycleCases(cluster: UseCluster): void {
  const { create, untilStatus, amidKills, type, run } = stepsOn(cluster);
  const uidOf = async (name: string): Promise<string> =>
    (await cluster().kubectl.run(`get vmi ${name} -o jsonpath={.metadata.uid}`)).stdout;

  describe('a VM on a cluster', () => {
    it('is created, and runs on a node that the scheduler chose', async () => {
      await create(vm('web'));
      await Promise.all([cluster().killLeader(), cluster().killExtension()]);
      await untilStatus('web', 'Running');
      const { kubectl } = cluster();
      const node = await kubectl('get vmi web -o jsonpath={.status.nodeName}');
      const scheduled = '-l kubevirt.io=virt-launcher,vm.kubevirt.io/name=web -o jsonpath={.items[*].spec.nodeName}';
      expect(await kubectl(`get pods ${scheduled}`)).toBe(node);
      await kubectl.until(`get events --field-selector reason=Scheduled -o name`, /event\//);
    });

    it('is stopped and started', async () => {
      await amidKills('stop web', /is not running|already/i);
      await untilStatus('web', 'Stopped');
      await amidKills('start web', /already running/i);
      await untilStatus('web', 'Running');
    });

    it('is restarted as another instance', async () => {
      const before = await uidOf('web');
      await amidKills('restart web');
      await vi.waitFor(async () => expect(await uidOf('web')).toMatch(new RegExp(`^(?!${before})[0-9a-f-]{36}$`)), {
        timeout: 120_000,
        interval: 500,
      });
      await cluster().kubectl.do(`wait vmi/web --for=jsonpath={.status.phase}=Running ${TIMEOUT}`);
    });

    it('has a log', async () => {
      await cluster().kubectl.until('logs -l vm.kubevirt.io/name=web --tail=-1', new RegExp(bootSectorMarker));
    });

    it('has a console, also after an extension has died', async () => {
      await cluster().killExtension();
      // It reboots when told, and says again that it is there.
      await vi.waitFor(() => type('web', 'r', new RegExp(bootSectorMarker)), { timeout: 60_000, interval: 1000 });
    });

    it('has a screen', async () => {
      await vi.waitFor(() => run(`vnc screenshot web --file ${join(cluster().directory, 'screen.png')}`), {
        timeout: 60_000,
        interval: 1000,
      });
      await vi.waitFor(async () => expect(await screenGreeting(cluster().kubeconfig)).toMatch(/^RFB 003/), {
        timeout: 60_000,
        interval: 1000,
      });
    });
  });
}

/** The first words of the screen of `web`, as a viewer reads them; empty where the connection is closed before. */
async function screenGreeting(kubeconfig: string): Promise<string> {
  const { child, output, ended } = spawnVireo(['vnc', 'web', '--proxy-only', '--kubeconfig', kubeconfig]);
  const [, port] = await lineWith(child, output, /"port": ?(\d+)/);
  const greeting = await new Promise<string>((resolve) => {
    const socket = createConnection(Number(port), '127.0.0.1');
    socket.once('data', (data) => resolve(data.toString()));
    socket.once('error', () => {});
    socket.once('close', () => resolve(''));
  });
  child.kill('SIGTERM');
  await ended;
  return greeting;
}
