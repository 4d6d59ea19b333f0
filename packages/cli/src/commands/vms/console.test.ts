import { ApiError, badRequest } from '@vireo/api';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { describeEnd, whenReady } from './console.ts';
import { refusedStream } from './http1.ts';
import { beforeEscape } from './terminal.ts';

/** Never connects: only its identity counts here. */
const opened = Object.create(WebSocket.prototype) as WebSocket;

describe('waiting for the VM', () => {
  it('tries again every second while the answer is 400', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const socket = whenReady(
      async () => {
        if (++tries < 3) throw badRequest('VMI is not running');
        return opened;
      },
      60_000,
      clock,
    );
    await eventually(() => clock.pending === 1);
    clock.advance(999);
    expect(tries).toBe(1);
    clock.advance(1);
    await eventually(() => tries === 2 && clock.pending === 1);
    clock.advance(1_000);
    expect(await socket).toBe(opened);
    expect(tries).toBe(3);
  });

  it('ends after the time-out, and says what the server said last', async () => {
    const refuse = () => Promise.reject(badRequest('VMI is not running'));
    await expect(whenReady(refuse, 0, new FakeClock())).rejects.toMatchObject({
      message: 'Timeout trying to connect to the virtual machine instance',
      hint: expect.stringContaining('VMI is not running'),
    });
  });

  it('ends at once with any other answer', async () => {
    const error = new ApiError('Conflict', 'failed', undefined, 409);
    await expect(whenReady(() => Promise.reject(error), 60_000, new FakeClock())).rejects.toBe(error);
  });
});

it.each([
  { code: 404, text: '', message: 'Virtual Machine not found.' },
  { code: 500, text: 'no node\n', message: 'Websocket failed due to internal server error. no node' },
  { code: 502, text: '', message: 'the server answered with HTTP 502' },
  { code: 409, text: '{"kind":"Status","message":"VMI is paused","code":409}', message: 'VMI is paused' },
])('a stream refused with $code $text is told as: $message', ({ code, text, message }) => {
  expect(refusedStream(code, text)).toMatchObject({ message, code });
});

it.each([
  { end: { by: 'user' } as const, says: undefined },
  { end: { by: 'server', code: 1000, reason: '' } as const, says: undefined },
  { end: { by: 'server', code: 1006, reason: '' } as const, says: 'the target VM was powered off' },
  { end: { by: 'server', code: 1011, reason: 'node lost' } as const, says: 'websocket: close 1011: node lost' },
])('after $end it says: $says', ({ end, says }) => {
  if (says === undefined) expect(describeEnd(end)).toBeUndefined();
  else expect(describeEnd(end)?.message).toContain(says);
});

it.each([
  { typed: 'ls\n', sent: 'ls\n', leaves: false },
  { typed: '\x1d', sent: '', leaves: true },
  { typed: 'exit\n\x1drest', sent: 'exit\n', leaves: true },
])('of $typed the guest gets $sent', ({ typed, sent, leaves }) => {
  expect(beforeEscape(Buffer.from(typed))).toEqual({ bytes: Buffer.from(sent), leaves });
});
