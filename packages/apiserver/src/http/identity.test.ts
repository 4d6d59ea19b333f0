import type { TLSSocket } from 'node:tls';
import { ANONYMOUS } from '@vireo/kube';
import { expect, it } from 'vitest';
import type { Authenticator } from '../auth/authenticate.ts';
import { RbacAuthorizer } from '../rbac/authorize.ts';
import { createIdentify } from './identity.ts';

const jane = { username: 'jane', groups: [] };
const authenticator = {
  authenticate: async ({ authorization }) => (authorization ? jane : ANONYMOUS),
} as Pick<Authenticator, 'authenticate'> as Authenticator;
const signed = (socket: TLSSocket | undefined, authorization?: string) => ({
  socket,
  headers: { authorization },
  rawHeaders: [],
});
const socket = {} as TLSSocket;

it('a request whose connection has gone is the fault of who closed it', async () => {
  const identify = createIdentify(authenticator, new RbacAuthorizer());
  await expect(identify(signed(undefined))).rejects.toMatchObject({ code: 400 });
});

it('tells of connections on which somebody has shown who he is, and of no others', async () => {
  const known: TLSSocket[] = [];
  const identify = createIdentify(authenticator, new RbacAuthorizer(), (each) => known.push(each));
  expect(await identify(signed(socket))).toBe(ANONYMOUS);
  expect(known).toEqual([]);
  expect(await identify(signed(socket, 'Bearer x'))).toBe(jane);
  expect(known).toEqual([socket]);
});
