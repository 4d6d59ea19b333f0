import { expect, it } from 'vitest';
import { nodesBehind } from './nodeSocket.ts';

it('knows no node whose name would begin a request', () => {
  const nodes = nodesBehind('/nowhere');
  expect(nodes('host-1.example')).toBeTypeOf('function');
  for (const name of ['', 'n1\nGET / HTTP/1.1', 'n1\r\n', 'n1 ']) expect(nodes(name)).toBeUndefined();
});
