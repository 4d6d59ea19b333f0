import { ApiError } from '@vireo/api';
import { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { Client, type Transport } from '@vireo/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';
import type { Connection } from './connection.ts';
import { followMigration, startedByUser } from './followMigration.ts';

const at = { namespace: 'default' };
let server: VmServer;
beforeAll(async () => {
  server = await startVmServer();
});
afterAll(() => server?.close());
const admin = () => server.installation.server.client;
const write = (name: string, status: object) =>
  admin()
    .of(Migration)
    .patchStatus(name, { status }, { ...at, type: 'merge' });
const MOVED = { phase: 'Succeeded', migrationState: { sourceNode: 'n1', targetNode: 'n2' } };

describe('the migration that a user has just asked for', () => {
  const named = (name: string): Migration =>
    persisted({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', metadata: { name }, spec: {} });
  // All of them are of the same second.
  const old = named('kubevirt-migrate-vm-a');
  const ours = named('kubevirt-migrate-vm-b');
  const evacuation = named('kubevirt-evacuation-c');
  it.each<[string, Migration[], Migration | undefined]>([
    ['is the one that was not there before', [ours, old], ours],
    ['is not one that an evacuation has begun since', [evacuation, ours, old], ours],
    ['is none where it is gone', [old, evacuation], undefined],
  ])('%s', (_, now, expected) => {
    expect(startedByUser(now, [old])).toBe(expected);
  });
});

it('migrate --wait follows its own migration, not one of the same second that has failed', async () => {
  await server.vm('quick', 'Always');
  await server.instance('quick');
  const spec = { vmiName: 'quick' };
  const name = 'kubevirt-migrate-vm-zzzzz';
  await admin()
    .of(Migration)
    .create({ metadata: { name, ...at }, spec });
  await write(name, { phase: 'Failed' });
  const { child, shown, notices } = server.spawn(['migrate', 'quick', '--wait']);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const own = async () => {
    const { items } = await admin().of(Migration).list(at);
    const found = items.find((each) => each.spec.vmiName === 'quick' && each.metadata.name !== name);
    expect(found, notices()).toBeDefined();
    return found?.metadata.name ?? '';
  };
  await write(await vi.waitFor(own, { timeout: 30_000 }), MOVED);
  expect(await ended, notices()).toBe(0);
  expect(shown()).toBe('VM quick was scheduled to migrate\nVM quick has moved from node n1 to node n2\n');
});

describe('following a migration', () => {
  let migration: Migration;
  let printed: string[];
  let count = 0;
  beforeEach(async () => {
    printed = [];
    const print = (text: string) => void printed.push(text);
    vi.spyOn(console, 'log').mockImplementation(print);
    vi.spyOn(console, 'error').mockImplementation(print);
    const vmiName = `web-${++count}`;
    await server.instance(vmiName);
    migration = await admin()
      .of(Migration)
      .create({ metadata: { name: `move-${count}`, ...at }, spec: { vmiName } });
  });
  afterEach(() => vi.restoreAllMocks());

  const name = () => migration.metadata.name;
  type Watch = Transport['watch'];
  /** A connection whose watches of migrations do what `steps` say, one after the other, and then what they should. */
  function connection(...steps: ((open: Watch) => Watch)[]): Connection {
    const transport = server.installation.server.inProcess({ username: 'admin', groups: ['system:masters'] });
    const watch: Watch = (request) => {
      const isOurs = request.path.endsWith(Migration.plural);
      const step = isOurs ? steps.shift() : undefined;
      return (step ? step(transport.watch) : transport.watch)(request);
    };
    const client = new Client({ ...transport, call: (request) => transport.call(request), watch });
    return { client, target: { server: 'https://vireo', namespace: 'default' }, namespace: 'default' };
  }
  const whole = (open: Watch): Watch => open;
  /** Ends after its first events, as one does whose server restarts; meanwhile the migration goes on. */
  const cutShort =
    (meanwhile: () => Promise<unknown>) =>
    (open: Watch): Watch =>
    async (request) => {
      const events = await open(request);
      return (async function* () {
        for await (const event of events) {
          yield event;
          if (event.type === 'BOOKMARK') break;
        }
        await meanwhile();
      })();
    };
  const refused = (error: () => Error) => (): Watch => async () => {
    throw error();
  };

  it('goes on where a watch ends and the server does not answer for a while', async () => {
    const restart = cutShort(() => write(name(), MOVED));
    const away = refused(() => new Error('connect ECONNREFUSED'));
    await followMigration(connection(restart, away, away, whole), migration);
    expect(printed).toEqual([
      'The server does not report on the migration, and is asked again: connect ECONNREFUSED',
      `VM ${migration.spec.vmiName} has moved from node n1 to node n2`,
    ]);
  });

  it('ends where the migration has gone before it was watched', async () => {
    await admin()
      .of(Migration)
      .patch(name(), { metadata: { finalizers: [] } }, { ...at, type: 'merge' });
    await admin().of(Migration).delete(name(), at);
    await expect(followMigration(connection(), migration)).rejects.toThrow('the migration was cancelled');
  });

  it('ends where another migration has taken its name', async () => {
    const earlier = { ...migration, metadata: { ...migration.metadata, uid: 'earlier' } };
    await expect(followMigration(connection(), earlier)).rejects.toThrow('the migration was cancelled');
  });

  it('says why where it is not allowed', async () => {
    const error = () => ApiError.from(403, { apiVersion: 'v1', kind: 'Status', message: 'not yours', code: 403 });
    await expect(followMigration(connection(refused(error)), migration)).rejects.toThrow(
      `cannot follow the migration of VM ${migration.spec.vmiName}: not yours`,
    );
  });
});
