import { systemClock } from '@vireo/kube';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { vmiWith } from '../testing/vms.ts';
import { inProcessNode, unixSocket } from './nodeConnections.ts';
import { askNode } from './nodeRequest.ts';
import { openNodeSocket } from './nodeSocket.ts';

const sockets = new WebSocketServer({ noServer: true });
const dial = inProcessNode({
  handle: (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ asked: request.url }));
  },
  upgrade: (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => opened.send(Buffer.from('hello'))),
});
const { signal } = new AbortController();

it('a node in the same process answers requests', async () => {
  const response = await askNode(() => dial, vmiWith(), { method: 'GET', path: 'userlist', signal });
  expect(response.type === 'object' && response.object()).toEqual({
    asked: '/v1/namespaces/default/virtualmachineinstances/web/userlist',
  });
});

it('a node in the same process opens streams, and keeps what comes before somebody listens', async () => {
  const socket = await openNodeSocket(() => dial, vmiWith(), 'console', systemClock);
  const { promise, resolve } = Promise.withResolvers<string>();
  await new Promise((turn) => setImmediate(turn));
  socket.on('message', (data: Buffer) => resolve(data.toString()));
  socket.resume();
  expect(await promise).toBe('hello');
  socket.terminate();
});

it('a node that does not answer is 503, with its name', async () => {
  const nowhere = unixSocket('/nonexistent/node.sock');
  await expect(askNode(() => nowhere, vmiWith(), { method: 'GET', path: 'userlist', signal })).rejects.toMatchObject({
    code: 503,
    message: expect.stringMatching(/^node "n1" of virtual machine instance default\/web does not respond: /),
  });
  await expect(openNodeSocket(() => nowhere, vmiWith(), 'console', systemClock)).rejects.toMatchObject({
    code: 503,
    message: expect.stringMatching(/^node "n1" cannot open a stream to virtual machine instance default\/web: /),
  });
});
