import { createWebSocketStream } from 'ws';
import { carryStdio } from './carryStdio.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { meanings, type VmTarget } from './forwardArguments.ts';
import { openStream } from './http1.ts';
import { orFail } from './refusal.ts';

interface VsockOptions extends ConnectionOptions {
  readonly tls: boolean;
}

/** Joins standard input and output to a VSOCK port of a guest. A VM and its instance have one name. */
export function vsock(target: VmTarget, port: number, options: VsockOptions): Promise<void> {
  return connected(options, async (connection) => {
    const [{ namespace = connection.namespace, name } = target] = meanings(target);
    const query = `port=${port}&tls=${options.tls}`;
    const path = `${actionPath({ namespace }, 'virtualmachineinstances', name, 'vsock')}?${query}`;
    const socket = await orFail(
      connection,
      (why) => `Can't access VMI ${name}: ${why}`,
      () => openStream(connection.target, path),
    );
    await carryStdio(createWebSocketStream(socket));
  });
}
