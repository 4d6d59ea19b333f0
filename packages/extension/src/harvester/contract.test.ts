import { isObject } from '@vireo/api/json.ts';
import type { Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action } from '../actions/action.ts';
import { RESOURCES } from '../actions/resources.ts';
import { refusalsOf, successOf } from '../actions/responses.ts';
import { unixSocket } from '../streams/nodeConnections.ts';
import { BACKUP_CASES } from '../testing/contract/backups.ts';
import type { ContractCase, ContractContext } from '../testing/contract/case.ts';
import { CDROM_CASES } from '../testing/contract/cdroms.ts';
import { CLAIM_CASES } from '../testing/contract/claims.ts';
import { SIZE_CASES } from '../testing/contract/cpuAndMemory.ts';
import { IMAGE_CASES } from '../testing/contract/images.ts';
import { MIGRATION_CASES } from '../testing/contract/migrations.ts';
import { NIC_CASES } from '../testing/contract/nics.ts';
import { NODE_CASES } from '../testing/contract/nodes.ts';
import { type CallPath, pathsTo } from '../testing/contract/paths.ts';
import { QUOTA_CASES } from '../testing/contract/quotas.ts';
import { SNAPSHOT_CASES } from '../testing/contract/snapshots.ts';
import { STORAGE_MIGRATION_CASES } from '../testing/contract/storageMigrations.ts';
import { TEMPLATE_CASES } from '../testing/contract/templates.ts';
import { UPGRADE_LOG_CASES } from '../testing/contract/upgradeLogs.ts';
import { VM_CASES } from '../testing/contract/vms.ts';
import { vmsOf } from '../testing/harvester.ts';
import { type Installation, install } from '../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { testUser } from '../testing/roles.ts';
import { HARVESTER_ACTIONS } from './table.ts';

const CASES: readonly ContractCase[] = [
  ...VM_CASES,
  ...SNAPSHOT_CASES,
  ...BACKUP_CASES,
  ...CDROM_CASES,
  ...NIC_CASES,
  ...SIZE_CASES,
  ...NODE_CASES,
  ...CLAIM_CASES,
  ...STORAGE_MIGRATION_CASES,
  ...IMAGE_CASES,
  ...UPGRADE_LOG_CASES,
  ...TEMPLATE_CASES,
  ...QUOTA_CASES,
  // Last: they add nodes.
  ...MIGRATION_CASES,
];

let node: NodeStandIn;
let installation: Installation;
let context: ContractContext;
let administrator: Transport;
beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: (name) => (name === 'n1' ? unixSocket(node.socketPath) : undefined) });
  administrator = await installation.server.overHttp();
  context = { client: installation.server.client, vms: vmsOf(installation), node };
});
afterAll(async () => {
  await installation?.close();
  await node?.close();
});

const nameOf = ({ resource, name }: Action): string => `${resource}/${name}`;
const actionNamed = (name: string): Action => {
  const found = HARVESTER_ACTIONS.find((action) => nameOf(action) === name);
  if (!found) throw new TypeError(`the table has no action ${name}`);
  return found;
};

let made = 0;
/** A name that no other case has. */
const freshName = (): string => `case-${made++}`;

const send = async ({ method, path, query, body: own }: CallPath, body?: unknown, as?: string) => {
  const transport = as === undefined ? administrator : installation.server.inProcess(testUser(as));
  return transport.call({ method, path, query, body: body ?? own });
};

/** What a refusal says: a Status, an error of the Steve API, or the text of an action that was not carried out. */
const messageIn = (body: unknown): string => (isObject(body) ? String(body.message) : String(body));

/** Labels of the ways by which an action is called. */
const labelsOf = (action: Action): string[] => pathsTo(action, 'x').map(({ label }) => label);
const pathBy = (action: Action, label: string, name: string): CallPath =>
  pathsTo(action, name).find((path) => path.label === label) as CallPath;

const each = CASES.flatMap((contractCase) => {
  const action = actionNamed(contractCase.action);
  return labelsOf(action).map((label) => {
    const { is, when } = contractCase;
    return { title: `${contractCase.action}: ${is}${when ? `, ${when}` : ''} (${label})`, contractCase, action, label };
  });
});

describe('an action does the same by every path', () => {
  it.each(each)('$title', async ({ contractCase, action, label }) => {
    const name = freshName();
    const { given, body, expect: expected, after } = contractCase;
    await given?.(name, context);
    const sent: unknown = typeof body === 'function' ? (body as (name: string) => unknown)(name) : body;
    const response = await send(pathBy(action, label, name), sent);
    const documented = [successOf(action).status, ...Object.keys(refusalsOf(action)).map(Number)];
    expect(documented).toContain(response.status);
    if (contractCase.is === 'success') expect(response.status).toBe(successOf(action).status);
    const message = response.status >= 400 ? messageIn(response.body) : '';
    expect({ status: response.status, message }).toEqual({
      status: expected.status,
      message: expect.stringContaining(expected.message ?? ''),
    });
    if (expected.response !== undefined) expect(response.body).toMatchObject(expected.response as object);
    await after?.(name, context);
  });
});

describe('the cases', () => {
  /** Cases of a sort that an action cannot have, and why. */
  const WITHOUT: Readonly<Record<string, { readonly [is: string]: string }>> = {
    'virtualmachines/stop': { 'wrong state': 'a VM that is off is what was asked for' },
    'virtualmachines/forceStop': { 'wrong state': 'the same' },
    'virtualmachines/ejectCdRom': { 'wrong state': 'a drive that is not there is wrong input' },
    'nodes/listUnhealthyVM': { 'wrong state': 'it looks at whatever is there' },
    'virtualmachineimages/download': { success: 'data is on a real node only: e2e/harvester' },
    'virtualmachineimages/downloadcancel': { 'wrong state': 'nothing has to be under way' },
    'virtualmachines/updateResourceQuota': { 'wrong state': 'a limit may be below what is in use' },
    'virtualmachines/deleteResourceQuota': { 'wrong state': 'no limit is what was asked for' },
    'namespaces/updateResourceQuota': { 'wrong state': 'a limit may be below what is in use' },
    'namespaces/deleteResourceQuota': { 'wrong state': 'no limit is what was asked for' },
    'virtualmachinetemplates/versions': { 'wrong state': 'it lists what is there' },
    'upgradelogs/download': { success: 'archives are in a home only: e2e/harvester' },
  };
  it.each(HARVESTER_ACTIONS.map(nameOf))('of %s show that it works, and what it refuses', (name) => {
    const sorts = CASES.filter(({ action }) => action === name).map(({ is }) => is);
    const missing = (['success', 'wrong state'] as const).filter((sort) => !sorts.includes(sort));
    expect(missing).toEqual(Object.keys(WITHOUT[name] ?? {}));
  });
});

const everyCall = HARVESTER_ACTIONS.flatMap((action) =>
  labelsOf(action).map((label) => ({ title: `${nameOf(action)} (${label})`, action, label })),
);

/** A body that every input schema takes. */
const filled = ({ body }: Action): unknown =>
  body &&
  Object.fromEntries(
    Object.entries(body.properties ?? {})
      .filter(([, { required }]) => required)
      .map(([name, { schema }]) => [name, schema.type === 'array' ? [] : schema.type === 'boolean' ? true : 'x']),
  );

describe('an object that is not there', () => {
  it.each(everyCall.filter(({ action }) => !action.isTargetless))('$title', async ({ action, label }) => {
    const response = await send(pathBy(action, label, 'nobody'), filled(action));
    expect(`${response.status} ${messageIn(response.body)}`).toMatch(/^404 .*"nobody" not found$/);
    if (label.startsWith('Steve'))
      expect(response.body).toMatchObject({ type: 'error', code: 'NotFound', status: 404 });
    else expect(response.body).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });
});

describe('a body that does not fit', () => {
  const taking = everyCall.filter(({ action: { body } }) =>
    Object.values(body?.properties ?? {}).some(({ required }) => required),
  );
  const firstOf = ({ body }: Action): string =>
    Object.entries(body?.properties ?? {}).find(([, { required }]) => required)?.[0] ?? '';

  it.each(taking)('is missing: $title', async ({ action, label }) => {
    const { status, body } = await send(pathBy(action, label, 'nobody'));
    expect(status).toBe(422);
    expect(messageIn(body)).toContain(`${firstOf(action)}: Required value`);
    if (label.startsWith('Steve')) expect(body).toMatch(/^InvalidBodyContent 422: /);
    else
      expect(body).toMatchObject({
        reason: 'Invalid',
        details: { causes: expect.arrayContaining([expect.objectContaining({ field: firstOf(action) })]) },
      });
  });

  it.each(taking)('is of another type: $title', async ({ action, label }) => {
    const wrong = { ...(filled(action) as object), [firstOf(action)]: { not: 'this' } };
    const { status, body } = await send(pathBy(action, label, 'nobody'), wrong);
    expect(`${status} ${messageIn(body)}`).toMatch(new RegExp(`^422 .*${firstOf(action)} is .*not of type`));
  });
});

describe('a user without the right', () => {
  it.each(everyCall)('$title', async ({ action, label }) => {
    const path = pathBy(action, label, 'nobody');
    const verb = action.method === 'GET' ? 'get' : path.method === 'PUT' ? 'update' : 'create';
    const isInNamespace = RESOURCES[action.resource].namespaced;
    const where = isInNamespace
      ? 'in the namespace "default"'
      : action.resource === 'namespaces'
        ? expect.anything()
        : 'at the cluster scope';
    const { status, body } = await send(path, undefined, 'stranger');
    expect(status).toBe(403);
    expect(body).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Forbidden',
      details: { name: 'nobody', group: 'subresources.harvesterhci.io', kind: action.resource },
      code: 403,
    });
    const words = `${action.resource}.subresources.harvesterhci.io "nobody" is forbidden: User "stranger" cannot ${verb} resource "${nameOf(action)}" in API group "subresources.harvesterhci.io"`;
    if (typeof where === 'string') expect(messageIn(body)).toBe(`${words} ${where}`);
    else expect(messageIn(body)).toContain(words);
  });
});
