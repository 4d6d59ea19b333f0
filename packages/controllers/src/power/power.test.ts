import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Event, Namespace, Node, type Persisted, Secret } from '@vireo/api';
import { INVENTORY_NAMESPACE, Inventory } from '@vireo/api/kinds/harvester/inventory.ts';
import { testPki } from '@vireo/kube/testing/pki.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { type Cluster, startCluster } from '../testing/cluster.ts';
import { reconcilePower } from './reconcile.ts';
import { resetTypeFor } from './redfish.ts';
import { accessOf, decidePower } from './status.ts';

const at = { namespace: INVENTORY_NAMESPACE };
const pki = testPki();

/** As much of a BMC as Redfish's standard says of one with a single system. No real one was at hand. */
class Bmc {
  readonly resets: string[] = [];
  /** What a reset is answered with; undefined: it is done. */
  refusal: number | undefined;
  readonly #server: Server;

  constructor() {
    const { certificate: cert, key } = pki.server;
    this.#server = createServer({ cert, key }, (request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const send = (status: number, body?: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    };
    const error = (status: number, Message: string) =>
      send(status, { error: { code: 'Base.1.0', message: 'see', '@Message.ExtendedInfo': [{ Message }] } });
    if (headers.authorization !== `Basic ${Buffer.from('admin:secret').toString('base64')}`)
      return error(401, 'Who are you?');
    const target = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
    const ResetTypes = ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart'];
    if (method === 'GET' && url === '/redfish/v1/Systems')
      return send(200, { Members: [{ '@odata.id': '/redfish/v1/Systems/1' }] });
    if (method === 'GET' && url === '/redfish/v1/Systems/1')
      return send(200, {
        PowerState: 'On',
        Actions: { '#ComputerSystem.Reset': { target, 'ResetType@Redfish.AllowableValues': ResetTypes } },
      });
    if (method !== 'POST' || url !== target) return error(404, 'no such resource');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { ResetType } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { ResetType: string };
    this.resets.push(ResetType);
    if (this.refusal !== undefined) return error(this.refusal, 'not now');
    return send(204);
  }
}

let cluster: Cluster;
let bmc: Bmc;
let port: number;
beforeAll(async () => {
  cluster = await startCluster();
  bmc = new Bmc();
  port = await bmc.listen();
  const { admin } = cluster;
  await admin.of(Namespace).create({ metadata: { name: INVENTORY_NAMESPACE } });
  const login = { username: 'admin', password: 'secret' };
  await admin.of(Secret).create({ metadata: { name: 'bmc', ...at }, stringData: { ...login, 'ca.crt': pki.ca } });
  await admin.of(Secret).create({ metadata: { name: 'no-ca', ...at }, stringData: login });
  await admin
    .of(Secret)
    .create({ metadata: { name: 'guess', ...at }, stringData: { ...login, password: 'x', 'ca.crt': pki.ca } });
  await cluster.startControllers();
});
afterEach(() => {
  bmc.refusal = undefined;
  bmc.resets.length = 0;
});
afterAll(async () => {
  await cluster?.close();
  await bmc?.close();
});

type Connection = Partial<Inventory['spec']['baseboardSpec']['connection']>;
const create = (name: string, connection: Connection = {}, namespace = INVENTORY_NAMESPACE) =>
  cluster.admin.of(Inventory).create({
    metadata: { name, namespace },
    spec: {
      baseboardSpec: { connection: { host: '127.0.0.1', port, authSecretRef: { name: 'bmc' }, ...connection } },
    },
  });
const until = (name: string, isRight: (inventory: Persisted<Inventory>) => boolean): Promise<Persisted<Inventory>> =>
  vi.waitFor(
    async () => {
      const inventory = await cluster.admin.of(Inventory).get(name, at);
      if (!isRight(inventory)) throw new Error(`not yet: ${JSON.stringify(inventory.status)}`);
      return inventory;
    },
    { timeout: 10_000, interval: 20 },
  );
const isContacted = ({ status }: Inventory): boolean => status?.conditions !== undefined;
const problemOf = ({ status }: Inventory): string | undefined =>
  status?.conditions?.find(({ type, status: is }) => type === 'machineNotContactable' && is === 'True')?.message;
const ask = (name: string, powerActionRequested: string) =>
  cluster.admin.of(Inventory).patch(name, { spec: { powerActionRequested } }, { ...at, type: 'merge' });
const isOver = ({ spec, status }: Inventory): boolean =>
  !spec.powerActionRequested && ['complete', 'failed'].includes(status?.powerAction?.actionStatus ?? '');

describe('a BMC that speaks Redfish', () => {
  it('is ready, and does what it is asked for, once each time', async () => {
    await cluster.admin.of(Node).create({ metadata: { name: 'host' } });
    await create('host');
    const ready = await until('host', isContacted);
    expect(ready.status).toMatchObject({ status: 'inventoryNodeReady', machinePowerState: 'on' });
    for (const [operation, type] of [
      ['shutdown', 'GracefulShutdown'],
      ['poweron', 'On'],
      ['reboot', 'ForceRestart'],
    ] as const) {
      await ask('host', operation);
      const isDone = (each: Inventory) => isOver(each) && each.status?.powerAction?.lastActionRequested === operation;
      const { status } = await until('host', isDone);
      expect(status?.powerAction?.actionStatus).toBe('complete');
      expect(bmc.resets.splice(0)).toEqual([type]);
    }
    await vi.waitFor(async () => {
      const { items } = await cluster.admin.of(Event).list();
      const ofNode = items.filter(({ involvedObject: { kind, name } }) => kind === 'Node' && name === 'host');
      expect(ofNode.map(({ message }) => message)).toContain(
        'Power operation reboot: the BMC has accepted ForceRestart',
      );
    });
  });

  it('that refuses is quoted, and nothing is tried again', async () => {
    bmc.refusal = 503;
    await create('refusing');
    await until('refusing', isContacted);
    await ask('refusing', 'reboot');
    const { status } = await until('refusing', isOver);
    const failed = status?.conditions?.find(({ type }) => type === 'bmcJobError');
    expect([status?.powerAction?.actionStatus, failed?.message]).toEqual([
      'failed',
      'POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset was answered with 503: not now',
    ]);
    expect(bmc.resets).toEqual(['ForceRestart']);
  });

  it('whose certificate nobody vouches for is trusted only where that is asked for', async () => {
    await create('stranger', { authSecretRef: { name: 'no-ca' } });
    await create('insecure', { authSecretRef: { name: 'no-ca' }, insecureTLS: true });
    expect(problemOf(await until('stranger', isContacted))).toMatch(/certificate/);
    expect((await until('insecure', isContacted)).status?.status).toBe('inventoryNodeReady');
  });

  it.each<[string, () => Connection, string]>([
    [
      'wrong-password',
      () => ({ authSecretRef: { name: 'guess' } }),
      'GET /redfish/v1/Systems was answered with 401: Who are you?',
    ],
    [
      'ipmi',
      () => ({ port: 623 }),
      'port 623 is that of IPMI, which Vireo does not speak: set the port of Redfish, such as 443',
    ],
    ['no-secret', () => ({ authSecretRef: { name: 'gone' } }), 'Secret harvester-system/gone does not exist'],
    [
      'elsewhere',
      () => ({ authSecretRef: { name: 'bmc', namespace: 'shop' } }),
      'Secret shop/bmc is not in the namespace of the Inventory',
    ],
    [
      'another',
      () => ({ providerOptions: { redfish: { systemName: '2' } } }),
      'GET /redfish/v1/Systems/2 was answered with 404: no such resource',
    ],
  ])('%s: the condition says why it cannot be used', async (name, connection, message) => {
    await create(name, connection());
    const inventory = await until(name, isContacted);
    expect([inventory.status?.status, problemOf(inventory)]).toEqual([undefined, message]);
  });

  it('of an Inventory in a namespace of users is not asked', async () => {
    await create('host', {}, 'shop');
    await create('later');
    await until('later', isContacted);
    expect((await cluster.admin.of(Inventory).get('host', { namespace: 'shop' })).status).toBeUndefined();
  });
});

describe('an operation', () => {
  const inventory = (powerActionRequested?: string, actionStatus?: string): Inventory => ({
    apiVersion: 'metal.harvesterhci.io/v1alpha1',
    kind: 'Inventory',
    metadata: { name: 'host', ...at, generation: 7 },
    spec: {
      baseboardSpec: { connection: { host: 'bmc', authSecretRef: { name: 'bmc' } } },
      ...(powerActionRequested !== undefined && { powerActionRequested }),
    },
    ...(actionStatus && { status: { powerAction: { actionStatus, lastActionRequested: 'reboot', lastJobName: 'j' } } }),
  });

  test.each<[string, Inventory, string]>([
    ['is begun when it is asked for', inventory('reboot'), 'begin'],
    ['is begun again when the one before was not carried out yet', inventory('reboot', 'running'), 'begin'],
    ['that does not exist is refused', inventory('explode'), 'refuse'],
    ['that is over is left', inventory(undefined, 'complete'), 'none'],
    ['is not repeated by those who do not know how far it came', inventory(undefined, 'running'), 'abandon'],
    ['that was taken back is none', inventory(''), 'none'],
  ])('%s', (_, of, action) => {
    expect(decidePower(of).action).toBe(action);
  });

  it('that is over stays as it ended for whoever sees it running in a cache that is behind', async () => {
    const { namespace } = (await create('behind', {}, 'shop')).metadata;
    const inventories = cluster.admin.of(Inventory);
    const write = (actionStatus: string) =>
      inventories.patchStatus(
        'behind',
        { status: { powerAction: { actionStatus, lastActionRequested: 'reboot', lastJobName: 'j' } } },
        { namespace, type: 'merge' },
      );
    const seen = await write('running');
    await write('complete');
    const events: string[] = [];
    const context = {
      client: cluster.admin,
      credentials: undefined,
      recordEvent: (_: string, reason: string) => void events.push(reason),
      now: () => new Date(),
      signal: new AbortController().signal,
    };
    await expect(reconcilePower(seen, context)).rejects.toMatchObject({ status: { reason: 'Conflict' } });
    expect((await inventories.get('behind', { namespace })).status?.powerAction?.actionStatus).toBe('complete');
    const running = await write('running');
    await reconcilePower(running, context);
    expect((await inventories.get('behind', { namespace })).status?.powerAction?.actionStatus).toBe('failed');
    expect(events).toEqual(['PowerActionFailed']);
  });

  it('goes to port 443 where none is said', () => {
    expect(accessOf(inventory(), { username: 'a', password: 'b' })).toMatchObject({ host: 'bmc', port: 443 });
    expect(accessOf(inventory(), { username: 'a' })).toEqual({
      problem: 'Secret harvester-system/bmc has no keys username and password',
    });
  });

  test.each([
    ['shutdown', ['ForceOff', 'On'], 'ForceOff'],
    ['reboot', ['GracefulRestart', 'ForceRestart'], 'GracefulRestart'],
    ['reboot', undefined, 'GracefulRestart'],
  ] as const)('%s of a system that takes %j is %s', (operation, resetTypes, type) => {
    expect(resetTypeFor(operation, { resetTypes })).toBe(type);
  });

  it('that the system has no reset for is refused', () => {
    expect(() => resetTypeFor('poweron', { resetTypes: ['ForceOff'] })).toThrow(
      'takes none of On, ForceOn, but ForceOff',
    );
  });
});
