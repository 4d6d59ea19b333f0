import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { badRequest } from '@vireo/api';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Clock } from '@vireo/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Plan } from '../actions/action.ts';
import { bridge } from './bridge.ts';
import type { Connected } from './connections.ts';
import { keepAlive } from './keepAlive.ts';
import type { NodeConnections } from './nodeConnections.ts';
import { openNodeSocket } from './nodeSocket.ts';
import { Sessions } from './sessions.ts';

/** Clients send pieces of some kilobytes; a message is held in memory until it is whole. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Shown to whoever is displaced. */
  readonly username: string;
}

type StreamPlan = Extract<Plan, { type: 'stream' }>;

/** Proxies streams between clients and the nodes of their VMIs. */
export class StreamProxy {
  readonly #nodes: NodeConnections;
  readonly #clock: Clock;
  readonly #connected: Connected;
  readonly #sessions = new Sessions();
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(PLAIN_PROTOCOL) ? PLAIN_PROTOCOL : false),
  });

  constructor(nodes: NodeConnections, clock: Clock, connected: Connected) {
    this.#nodes = nodes;
    this.#clock = clock;
    this.#connected = connected;
  }

  /**
   * Refuses what a handshake would be refused for, as far as that can be known without one. Browsers hide the response to a
   * failed handshake; a plain request tells them.
   */
  requirePossible(vmi: VirtualMachineInstance, plan: StreamPlan): void {
    this.#sessions.requireFree(placeOf(vmi, plan), plan.sharing);
  }

  /** Takes the client's connection over once the node's stream is open; until then a refusal is a plain response. */
  async connect(vmi: VirtualMachineInstance, plan: StreamPlan, upgrade: Upgrade): Promise<void> {
    if (upgrade.incoming.headers.upgrade?.toLowerCase() !== 'websocket')
      throw badRequest(`${plan.path} is a stream; connect with a WebSocket`);
    const place = placeOf(vmi, plan);
    await this.#sessions.inTurn(place, plan.sharing, () => this.#open(place, vmi, plan, upgrade));
  }

  async #open(place: string, vmi: VirtualMachineInstance, plan: StreamPlan, upgrade: Upgrade): Promise<void> {
    const claim = this.#sessions.claim(place, upgrade.username, plan.sharing);
    let node: WebSocket;
    try {
      node = await openNodeSocket(this.#nodes, vmi, plan.path, this.#clock);
    } catch (error) {
      claim.abandon();
      throw error;
    }
    const giveUp = (): void => {
      claim.abandon();
      node.terminate();
    };
    if (upgrade.socket.destroyed) return giveUp();
    upgrade.socket.once('close', giveUp);
    this.#server.handleUpgrade(upgrade.incoming, upgrade.socket, upgrade.head, (client) => {
      upgrade.socket.off('close', giveUp);
      claim.take(client);
      client.once('close', this.#connected(vmi, plan.path));
      keepAlive(client, this.#clock);
      keepAlive(node, this.#clock);
      // Before the bridge hands the node's close on.
      node.once('close', () => this.#sessions.farewell(place, client));
      bridge(client, node);
    });
  }
}

const placeOf = ({ metadata }: VirtualMachineInstance, { path }: StreamPlan): string =>
  `${metadata.namespace}/${metadata.name}/${path}`;
