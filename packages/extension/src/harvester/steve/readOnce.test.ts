import { Client, type Transport } from '@vireo/kube';
import { expect, it } from 'vitest';
import { readOnce } from './readOnce.ts';

it('the client of one response reads each thing once, and hands the rest on', async () => {
  const asked: string[] = [];
  const transport = {
    call: async ({ method, path }) => {
      asked.push(`${method} ${path}`);
      return { status: 200, headers: {}, body: { path } };
    },
  } as Partial<Transport> as Transport;
  const client = readOnce(new Client(transport));
  const read = (path: string, query = {}) => client.call({ method: 'GET', path, query });
  expect(await Promise.all([read('/a'), read('/a'), read('/b')])).toEqual([
    { path: '/a' },
    { path: '/a' },
    { path: '/b' },
  ]);
  await read('/a', { limit: 1 });
  await client.call({ method: 'POST', path: '/a' });
  await client.call({ method: 'POST', path: '/a' });
  expect(asked).toEqual(['GET /a', 'GET /b', 'GET /a', 'POST /a', 'POST /a']);
});
