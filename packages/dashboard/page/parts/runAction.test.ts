import { expect, it } from 'vitest';
import { Api } from '../data/api.ts';
import type { Carrier } from '../data/carrier.ts';
import { machineOf, vmRow } from '../decisions/machine.ts';
import { actionWork } from './runAction.ts';
import { TaskStore } from './tasks/store.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: { readonly preconditions?: { readonly uid?: string }; readonly gracePeriod?: number };
}

/** A server with VMs, by path and uid, that deletes as Kubernetes does, unless it is out of order. */
function serverWith(vms: Map<string, string>) {
  const sent: Sent[] = [];
  const server = { isBroken: false, vms, sent };
  const carrier: Pick<Carrier, 'fetch'> = {
    async fetch(path, init = {}) {
      const request: Sent = { method: init.method ?? 'GET', path, body: JSON.parse(String(init.body)) };
      sent.push(request);
      if (server.isBroken) return Response.json({ message: 'etcd is away' }, { status: 500 });
      if (request.method !== 'DELETE') return Response.json({});
      const uid = vms.get(path);
      const wanted = request.body.preconditions?.uid;
      if (wanted !== undefined && wanted !== uid) {
        const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
        const message = `Operation cannot be fulfilled on virtualmachines.kubevirt.io "web": ${why}`;
        return Response.json({ message }, { status: 409 });
      }
      vms.delete(path);
      return Response.json({});
    },
  };
  return { server, api: new Api(carrier as Carrier) };
}

const WEB = '/apis/kubevirt.io/v1/namespaces/shop/virtualmachines/web';
const web = machineOf(vmRow({ metadata: { name: 'web', namespace: 'shop', uid: 'seen' }, spec: {} }), undefined);
const rights = { forget: () => {} };

it('a machine is deleted by its uid', async () => {
  const { server, api } = serverWith(new Map([[WEB, 'seen']]));
  await actionWork({ api, rights }, 'delete', [web], () => {})(() => {});
  expect(server.sent).toMatchObject([{ method: 'DELETE', path: WEB, body: { preconditions: { uid: 'seen' } } }]);
  expect(server.vms.size).toBe(0);
});

it('a machine that has got the name meanwhile is not deleted by a retry, which says so', async () => {
  const { server, api } = serverWith(new Map([[WEB, 'seen']]));
  server.isBroken = true;
  const tasks = new TaskStore();
  const refused: string[] = [];
  const work = actionWork({ api, rights }, 'delete', [web], ({ name }) => refused.push(name));
  await expect(tasks.run('Delete web', work)).rejects.toThrow('etcd is away');
  server.isBroken = false;
  server.vms.set(WEB, 'another');
  tasks.retry(tasks.snapshot()[0]?.id ?? 0);
  await expect.poll(() => tasks.snapshot()[0]?.state).toBe('failed');
  expect(tasks.snapshot()[0]?.detail).toBe(
    'It was deleted meanwhile, and another object has its name now, which was not deleted.',
  );
  expect(server.vms.get(WEB)).toBe('another');
  expect(refused).toEqual(['web', 'web']);
});

it('a guest is forced off by a stop without a grace period', async () => {
  const { server, api } = serverWith(new Map());
  await actionWork({ api, rights }, 'forceOff', [web], () => {})(() => {});
  expect(server.sent).toMatchObject([
    { method: 'PUT', path: expect.stringMatching(/\/web\/stop$/), body: { gracePeriod: 0 } },
  ]);
});
