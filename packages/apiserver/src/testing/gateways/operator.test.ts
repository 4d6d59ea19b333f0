import { ClusterRole, ClusterRoleBinding, ConfigMap, CustomResourceDefinition, ServiceAccount } from '@vireo/api';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverOfFile } from '../calls.ts';
import type { TestWebhookServer } from '../webhookServer.ts';
import { install, uninstall, upgrade } from './install.ts';
import { GatewayV1, GatewayV2 } from './kinds.ts';
import { runOperator } from './operator.ts';
import { serveWebhooks } from './webhooks.ts';

const { post, server } = serverOfFile();

const namespace = 'default';
let webhooks: TestWebhookServer;
/** The administrator over the network, who installs and uses the operator. */
let admin: Client;
/** The operator's own account. */
let account: Client;
const stops: AbortController[] = [];
const running: Promise<void>[] = [];

beforeAll(async () => {
  webhooks = await serveWebhooks();
  admin = new Client(await server().overHttp());
  await admin.of(ServiceAccount).create({ metadata: { name: 'gateways', namespace } });
  const rule = (apiGroups: string[], resources: string[]) => ({ apiGroups, resources, verbs: ['*'] });
  await admin.of(ClusterRole).create({
    metadata: { name: 'gateways' },
    rules: [
      rule(['net.example.com'], ['gateways', 'gateways/status', 'gateways/finalizers']),
      rule([''], ['configmaps']),
      rule(['coordination.k8s.io'], ['leases']),
    ],
  });
  await admin.of(ClusterRoleBinding).create({
    metadata: { name: 'gateways' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gateways' },
    subjects: [{ kind: 'ServiceAccount', name: 'gateways', namespace }],
  });
  const { body } = await post(`/api/v1/namespaces/${namespace}/serviceaccounts/gateways/token`, { spec: {} });
  account = new Client(await server().overHttp({ token: (body.status as unknown as { token: string }).token }));
});
afterAll(async () => {
  for (const stop of stops) stop.abort();
  await Promise.all(running);
  await webhooks.close();
});

/** Starts a replica. `leads` resolves when it does. */
function start(identity: string, kind: typeof GatewayV1 | typeof GatewayV2) {
  const stop = new AbortController();
  const leading = Promise.withResolvers<void>();
  const options = { client: account, namespace, identity, kind, onLead: leading.resolve };
  const ended = runOperator(options, stop.signal);
  stops.push(stop);
  running.push(ended);
  const end = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  return { leads: leading.promise, end };
}

const reservedFor = async (name: string) =>
  (await admin.of(ConfigMap).find(`reserved-${name}`, { namespace }))?.data?.address;

it('an operator is installed, upgraded to another stored version, and removed, through the API alone', async () => {
  // Installed: the validating webhook refuses, one replica of two reserves.
  await install(admin, webhooks);
  const [first, second] = [start('first', GatewayV1), start('second', GatewayV1)];
  const gateways = admin.of(GatewayV1);
  await expect(
    gateways.create({ metadata: { name: 'bad', namespace }, spec: { address: 'web.example.com:99999' } }),
  ).rejects.toThrow('admission webhook "validate.net.example.com" denied the request: the port is out of range');
  await gateways.create({ metadata: { name: 'web', namespace }, spec: { address: 'web.example.com:443' } });
  await expect.poll(() => reservedFor('web')).toBe('web.example.com:443');

  // Whoever does not lead takes over.
  const leader = await Promise.race([first.leads.then(() => first), second.leads.then(() => second)]);
  const follower = leader === first ? second : first;
  await leader.end();
  await follower.leads;
  await gateways.patch('web', { spec: { address: 'web.example.com:80' } }, { namespace, type: 'merge' });
  await expect.poll(() => reservedFor('web')).toBe('web.example.com:80');
  await follower.end();

  // Upgraded: what was stored as v1 is v2 now, for old and new clients alike.
  await upgrade(admin, webhooks);
  await start('third', GatewayV2).leads;
  const { status } = await admin.of(CustomResourceDefinition).get('gateways.net.example.com');
  expect(status?.storedVersions).toEqual(['v2']);
  const stored = server().server.api.core.store.get('net.example.com/gateways/default/web')?.object;
  expect(stored).toMatchObject({ apiVersion: 'net.example.com/v2', spec: { host: 'web.example.com', port: 80 } });
  expect((await gateways.get('web', { namespace })).spec).toEqual({ address: 'web.example.com:80' });
  await admin.of(GatewayV2).patch('web', { spec: { port: 8443 } }, { namespace, type: 'merge' });
  await expect.poll(() => reservedFor('web')).toBe('web.example.com:8443');
  // Its webhook asks for v1, and is asked in v1 about v2.
  await expect(
    admin.of(GatewayV2).create({ metadata: { name: 'bad', namespace }, spec: { host: 'b', port: 0 } }),
  ).rejects.toThrow('the port is out of range');

  // Deleted: the finalizer waits for the operator.
  await gateways.create({ metadata: { name: 'gone', namespace }, spec: { address: 'gone:1' } });
  await expect.poll(() => reservedFor('gone')).toBe('gone:1');
  await gateways.delete('gone', { namespace });
  await expect.poll(() => gateways.find('gone', { namespace })).toBeUndefined();
  expect(await reservedFor('gone')).toBeUndefined();

  // Removed: the operator releases what is left, and the definition goes.
  await uninstall(admin);
  expect(await reservedFor('web')).toBeUndefined();
  await expect(gateways.list({})).rejects.toMatchObject({ code: 404 });
});
