import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Clock } from '@vireo/kube';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { isDomainActive } from '../vmi/decide.ts';
import { consoleText } from './stages.ts';
import type { Stub } from './stub.ts';

const NORMAL = 1000;
/** How often it is looked whether there is more to print, or the VM has ended. */
const POLL_MS = 100;

/** The serial consoles of stubs: they print what a guest prints at its start, and give back what is typed. */
export class StubConsoles {
  readonly #clock: Clock;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(PLAIN_PROTOCOL) ? PLAIN_PROTOCOL : false),
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a console that lasts until the client goes or the stub ends; `find` gives the stub as it is then. */
  open(find: () => Stub | undefined, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => this.#print(find, client));
  }

  #print(find: () => Stub | undefined, client: WebSocket): void {
    let printed = 0;
    let cancel = (): void => {};
    const poll = (): void => {
      const stub = find();
      if (!stub || !isDomainActive(stub.domain)) {
        client.close(NORMAL, 'the VMI has stopped');
        return;
      }
      const text = consoleText(stub.startedAtMs, this.#clock.now()).replaceAll('\n', '\r\n');
      if (text.length > printed) client.send(Buffer.from(text.slice(printed)));
      printed = text.length;
      cancel = this.#clock.after(POLL_MS, poll);
    };
    client.on('message', (data: RawData) => {
      const typed = Buffer.isBuffer(data) ? data.toString() : '';
      client.send(Buffer.from(typed.replaceAll('\r', '\r\nlogin: ')));
    });
    client.on('error', () => client.terminate());
    client.once('close', () => cancel());
    poll();
  }
}
