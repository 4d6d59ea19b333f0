import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { openStream } from './http1.ts';
import { listenOnce, runWithProxy } from './localProxy.ts';
import { orFail } from './refusal.ts';
import { isInstalled } from './vnc/viewers.ts';

/** Does the work at this end. */
const CLIENT = 'usbredirect';

/** Carries a USB device of this host to a guest. */
export async function usbRedirect(
  first: string | undefined,
  second: string | undefined,
  options: ConnectionOptions & { readonly launch: boolean },
): Promise<void> {
  const [device, name] = options.launch ? [first, second] : [undefined, second ?? first];
  if (!name || (options.launch && !device)) {
    throw new Failure(
      'the device and the VMI are required',
      'For example: usbredir 0951:1666 web; lsusb shows the devices.',
    );
  }
  if (options.launch && !isInstalled(CLIENT)) {
    throw new Failure(`Error on finding ${CLIENT} in $PATH`, `Install it, or use --no-launch and start it elsewhere.`);
  }
  await connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, 'usbredir');
    const stream = await orFail(
      connection,
      (why) => `Can't access VMI ${name}: ${why}`,
      () => openStream(connection.target, path),
    );
    const proxy = await listenOnce(stream, '127.0.0.1', 0);
    const address = `127.0.0.1:${proxy.port}`;
    if (device) return runWithProxy(proxy, CLIENT, ['--device', device, '--to', address]);
    console.log(`User can connect usbredir client at: ${address}`);
    return proxy.ended;
  });
}
