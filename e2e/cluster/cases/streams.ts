import { createConnection } from 'node:net';
import { join } from 'node:path';
import { bootSectorMarker } from '@vireo/node';
import { describe, expect, it } from 'vitest';
import { lineWith, spawnVireo } from '../../vireo.ts';
import { openConsole } from '../../vms/console.ts';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, type UseCluster } from '../fixture.ts';
import { retried } from '../kills.ts';

const MARKER = new RegExp(bootSectorMarker);

/** Console, VNC and log of a VM, which an extension carries. */
export function streamCases(cluster: UseCluster): void {
  const { create, untilStatus, inTheMiddle, run } = stepsOn(cluster);

  /** Kills extensions until the one is dead that carried this: `end` resolves when it has ended. */
  const untilBroken = async (end: Promise<unknown>): Promise<void> => {
    let isOver = false;
    void end.finally(() => {
      isOver = true;
    });
    while (!isOver) await inTheMiddle(async () => {});
  };
  /** It reboots when told, and says again that it is there. */
  const reboot = async (): Promise<void> => {
    const console = await openConsole(cluster().kubeconfig, 'shown');
    console.type('r');
    await console.until(MARKER).finally(() => console.close());
  };

  describe.concurrent('the streams of a VM on a cluster', () => {
    it('console works again after the extension that carried it was killed', IN_ORDER, async () => {
      await create(vm('shown'));
      await untilStatus('shown', 'Running');
      const console = await retried(() => openConsole(cluster().kubeconfig, 'shown'));
      await untilBroken(console.until(/this is never printed/).catch(() => {}));
      await retried(reboot);
    });

    it('VNC works again after the extension that carried it was killed', IN_ORDER, async () => {
      const screen = await retried(() => openScreen(cluster().kubeconfig));
      expect(screen.greeting).toMatch(/^RFB 003/);
      await untilBroken(screen.ended);
      const again = await retried(() => openScreen(cluster().kubeconfig));
      expect(again.greeting).toMatch(/^RFB 003/);
      await again.close();
      await retried(() => run(`vnc screenshot shown --file ${join(cluster().directory, 'screen.png')}`));
    });

    it('log is read through the API server', IN_ORDER, async () => {
      await inTheMiddle(() => cluster().kubectl.do('logs -l vm.kubevirt.io/name=shown --tail=-1'));
      await cluster().kubectl.until('logs -l vm.kubevirt.io/name=shown --tail=-1', MARKER);
    });
  });
}

interface Screen {
  /** The first words of the screen, as a viewer reads them. */
  readonly greeting: string;
  /** Resolves when the connection is closed. */
  readonly ended: Promise<unknown>;
  close(): Promise<unknown>;
}

/** Connects to the screen of `shown`; fails where the connection is closed before anything is read. */
async function openScreen(kubeconfig: string): Promise<Screen> {
  const { child, output, ended } = spawnVireo(['vnc', 'shown', '--proxy-only', '--kubeconfig', kubeconfig]);
  const close = (): Promise<unknown> => {
    child.kill('SIGTERM');
    return ended;
  };
  const line = await Promise.race([lineWith(child, output, /"port": ?(\d+)/), ended]);
  if (!Array.isArray(line)) throw new Error(`vireo vnc ended: ${line.output}`);
  const socket = createConnection(Number(line[1]), '127.0.0.1').on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const greeting = await Promise.race([
    new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString()))),
    closed.then(() => ''),
  ]);
  if (greeting === '') {
    await close();
    throw new Error(`no screen: ${output()}`);
  }
  socket.resume();
  return { greeting, ended: closed.then(close), close };
}
