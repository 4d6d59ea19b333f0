import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A line to a server on this host that can be cut and mended. */
export interface CuttableLine {
  readonly port: number;
  /** Ends all connections, and every new one until it is mended. */
  cut(): void;
  /** Lets nothing through until it is mended, and tells nobody: connections stay as they are. */
  hold(): void;
  mend(): void;
  close(): void;
}

export async function layLine(toPort: number): Promise<CuttableLine> {
  const open = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(toPort, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.on('data', (bytes) => void other.write(bytes));
      if (isHeld) socket.pause();
    }
  });
  const drop = (): void => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      drop();
    },
    hold() {
      isHeld = true;
      for (const socket of open) socket.pause();
    },
    mend() {
      isCut = false;
      isHeld = false;
      for (const socket of open) socket.resume();
    },
    close() {
      server.close();
      drop();
    },
  };
}
