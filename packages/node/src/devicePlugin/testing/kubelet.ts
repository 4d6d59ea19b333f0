import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { DevicePlugin, type RegisterRequest, Registration } from '../devicePlugin_pb.ts';
import { type ServedSocket, serveSocket } from '../socket.ts';

/** What a kubelet knows of a resource. */
export interface KnownResource {
  readonly endpoint: string;
  readonly plugin: Client<typeof DevicePlugin>;
  /** Health by device. */
  devices: ReadonlyMap<string, string>;
  hasEnded: boolean;
}

/**
 * The device manager of a kubelet, on a real unix socket: dials plug-ins back before it answers their registration,
 * counts what they list, and removes every socket when it starts anew.
 */
export class TestKubelet {
  readonly directory: string;
  readonly resources = new Map<string, KnownResource>();
  registrations = 0;
  #socket: ServedSocket | undefined;
  #sessions: Http2SessionManager[] = [];

  constructor(directory: string) {
    this.directory = directory;
  }

  async start(): Promise<void> {
    for (const file of await readdir(this.directory))
      if (file !== 'kubelet_internal_checkpoint') await rm(join(this.directory, file), { force: true });
    this.#socket = await serveSocket(join(this.directory, 'kubelet.sock'), (router) => {
      router.service(Registration, { register: (request) => this.#register(request) });
    });
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions.splice(0)) session.abort();
    this.resources.clear();
    await this.#socket?.close();
    this.#socket = undefined;
  }

  allocatable(resource: string): number {
    const { devices, hasEnded } = this.resources.get(resource) ?? { devices: new Map(), hasEnded: true };
    return hasEnded ? 0 : [...devices.values()].filter((health) => health === 'Healthy').length;
  }

  capacity(resource: string): number {
    return this.resources.get(resource)?.devices.size ?? 0;
  }

  async #register({ version, endpoint, resourceName }: RegisterRequest) {
    if (version !== 'v1beta1') throw new ConnectError(`unsupported version ${version}`, Code.Unimplemented);
    if (endpoint.includes('/')) throw new ConnectError('the endpoint is a file name', Code.InvalidArgument);
    const baseUrl = 'http://localhost';
    const sessionManager = new Http2SessionManager(
      baseUrl,
      {},
      { createConnection: () => connect(join(this.directory, endpoint)) },
    );
    this.#sessions.push(sessionManager);
    const plugin = createClient(DevicePlugin, createGrpcTransport({ baseUrl, sessionManager }));
    await plugin.getDevicePluginOptions({});
    const resource: KnownResource = { endpoint, plugin, devices: new Map(), hasEnded: false };
    this.resources.set(resourceName, resource);
    this.registrations++;
    void this.#follow(resource);
    return {};
  }

  async #follow(resource: KnownResource): Promise<void> {
    try {
      for await (const { devices } of resource.plugin.listAndWatch({}))
        resource.devices = new Map(devices.map(({ ID, health }) => [ID, health]));
    } catch {
      // The plug-in has gone.
    }
    resource.hasEnded = true;
  }
}
