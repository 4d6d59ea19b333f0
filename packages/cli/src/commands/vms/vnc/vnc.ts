import { Failure } from '../../../failure.ts';
import { actionPath, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { openStream } from '../http1.ts';
import { listenOnce, runWithProxy } from '../localProxy.ts';
import { orFail } from '../refusal.ts';
import { chooseViewer, isInstalled, type ViewerType } from './viewers.ts';

interface VncOptions extends ConnectionOptions {
  readonly address: string;
  readonly port: number;
  readonly proxyOnly?: boolean;
  readonly preserveSession?: boolean;
  readonly vncType?: ViewerType;
  readonly vncPath?: string;
}

/** A viewer that does not connect within this time will not. */
const CONNECT_MS = 60_000;

/** Shows a VM's screen in a viewer of this host, or waits for one. */
export function vnc(name: string, options: VncOptions): Promise<void> {
  return connected(options, async (connection) => {
    const query = options.preserveSession ? '?preserveSession=true' : '';
    const path = `${actionPath(connection, 'virtualmachineinstances', name, 'vnc')}${query}`;
    const screen = await orFail(
      connection,
      (why) => `Can't access VMI ${name}: ${why}`,
      () => openStream(connection.target, path),
    );
    const proxy = await listenOnce(screen, options.address, options.port, options.proxyOnly ? undefined : CONNECT_MS);
    if (options.proxyOnly) {
      console.log(JSON.stringify({ port: proxy.port }));
      return proxy.ended;
    }
    const viewer = chooseViewer(
      {
        address: `${options.address}:${proxy.port}`,
        ...(options.vncType && { type: options.vncType }),
        ...(options.vncPath && { path: options.vncPath }),
        isVerbose: (options.v ?? 0) >= 4,
      },
      isInstalled,
    );
    if (!viewer) {
      proxy.close();
      throw new Failure(
        'Error encountered: could not find remote-viewer or vncviewer binary in $PATH',
        'To install one on Debian: apt install virt-viewer. To connect your own viewer: --proxy-only.',
      );
    }
    await runWithProxy(proxy, viewer.program, viewer.args);
  });
}
