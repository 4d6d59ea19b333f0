import { PassThrough } from 'node:stream';
import { forbidden, unauthorized } from '@vireo/api';
import { type ApiRequest, objectResponse } from '@vireo/kube';
import { expect, it } from 'vitest';
import { user } from '../testing/rbac.ts';
import { Auditor } from './auditor.ts';
import { annotateAudit } from './context.ts';
import type { Policy } from './policy.ts';

const request = (path: string, who = user('ada')): ApiRequest => ({
  method: 'GET',
  path,
  query: new URLSearchParams(),
  headers: {},
  user: who,
  body: async () => undefined,
  signal: new AbortController().signal,
});

function auditorWith(policy: Policy) {
  const events: Record<string, unknown>[] = [];
  const auditor = new Auditor(
    policy,
    (event) => events.push(event as Record<string, unknown>),
    () => 0,
  );
  const stages = () => events.map(({ stage, responseStatus }) => [stage, (responseStatus as { code?: number })?.code]);
  return { auditor, events, stages };
}
const ALL: Policy = { rules: [{ level: 'Metadata' }] };
const CONSOLE = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/console';

it('a console is logged when it opens and when it closes', async () => {
  const { auditor, events, stages } = auditorWith(ALL);
  const socket = new PassThrough();
  await auditor.upgrade(request(CONSOLE), { allowed: true, reason: 'by a role' }, socket, async () => {});
  expect(stages()).toEqual([
    ['RequestReceived', undefined],
    ['ResponseStarted', 101],
  ]);
  expect(events[1]).toMatchObject({
    verb: 'get',
    objectRef: { resource: 'virtualmachineinstances', name: 'web', subresource: 'console' },
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'by a role' },
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy();
  await closed;
  expect(stages()[2]).toEqual(['ResponseComplete', 101]);
});

it('a console that is refused is logged with its reason', async () => {
  const { auditor, stages } = auditorWith(ALL);
  const refuse = async () => {
    throw forbidden({ group: '', resource: 'pods' }, 'web', 'no');
  };
  const asked = auditor.upgrade(request(CONSOLE), { allowed: false, reason: '' }, new PassThrough(), refuse);
  await expect(asked).rejects.toThrow('no');
  expect(stages()).toEqual([
    ['RequestReceived', undefined],
    ['ResponseComplete', 403],
  ]);
});

it('an error of the server is logged as a panic, without its text', async () => {
  const { auditor, events } = auditorWith(ALL);
  const handle = auditor.handler(async () => {
    throw new Error('a path of this host');
  });
  await expect(handle(request('/api/v1/nodes'))).rejects.toThrow();
  expect(events[1]).toMatchObject({ stage: 'Panic', responseStatus: { code: 500 } });
  expect(JSON.stringify(events)).not.toContain('a path of this host');
});

it('a request that is part of another says nothing in its events', async () => {
  const { auditor, events } = auditorWith({ rules: [{ level: 'None', users: ['part'] }, ...ALL.rules] });
  const inner = auditor.handler(async () => {
    annotateAudit('from', 'the part');
    return objectResponse({});
  });
  const outer = auditor.handler(async () => {
    annotateAudit('own', 'yes');
    return inner(request('/api/v1/pods', user('part')));
  });
  await outer(request('/api/v1/nodes'));
  expect(events.map(({ annotations }) => annotations)).toEqual([undefined, { own: 'yes' }]);
});

it.each([
  ['Bearer secret', 'bearer'],
  ['secret', 'x509'],
])('of who is not let in with %s the log has %s', (authorization, attempted) => {
  const { auditor, events } = auditorWith(ALL);
  auditor.refused({ ...request('/api'), headers: { authorization } }, undefined, unauthorized());
  expect(events).toMatchObject([{ responseStatus: { message: `Authentication failed, attempted: ${attempted}` } }]);
  expect(JSON.stringify(events)).not.toContain('secret');
});
