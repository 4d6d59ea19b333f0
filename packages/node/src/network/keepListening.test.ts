import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { impatientClock as clock } from '@vireo/kube/testing/impatientClock.ts';
import { expect, it, vi } from 'vitest';
import { keepListening } from './keepListening.ts';

const unending = new AbortController().signal;

async function listen(port: number): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  await listening;
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

it('a server waits for its port while another program has it', async () => {
  const other = await listen(0);
  const [onWait, onListening] = [vi.fn(), vi.fn()];
  const server = await keepListening({ listen: () => listen(other.port), onWait, onListening, clock }, unending);
  expect(onWait.mock.calls).toEqual([[expect.objectContaining({ code: 'EADDRINUSE' })]]);
  expect(onListening).not.toHaveBeenCalled();
  await other[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(onListening).toHaveBeenCalledOnce());
  await expect(listen(other.port)).rejects.toThrow('EADDRINUSE');
  await server[Symbol.asyncDispose]();
  await using _ = await listen(other.port);
});

it('a server that still waits can be closed', async () => {
  await using other = await listen(0);
  const onListening = vi.fn();
  const options = { listen: () => listen(other.port), onWait: () => {}, onListening, clock };
  await (await keepListening(options, unending))[Symbol.asyncDispose]();
  const ending = new AbortController();
  const server = await keepListening(options, ending.signal);
  ending.abort();
  await server[Symbol.asyncDispose]();
  expect(onListening).not.toHaveBeenCalled();
});

it('any other error is not waited for', async () => {
  const listening = keepListening(
    { listen: () => Promise.reject(new Error('no such thing')), onWait: vi.fn(), onListening: vi.fn(), clock },
    unending,
  );
  await expect(listening).rejects.toThrow('no such thing');
});
