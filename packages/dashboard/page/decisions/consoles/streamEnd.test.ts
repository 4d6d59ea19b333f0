import { describe, expect, it } from 'vitest';
import { endOfRefusal, streamEnd } from './streamEnd.ts';

describe('the end of a stream', () => {
  it.each([
    [1000, 'taken over by eve\u001b[31m', true, 'takenOver', 'taken over by eve'],
    [4403, 'no', true, 'forbidden', 'not allowed to use the screen'],
    [4409, 'Active VNC connection. Request denied.', true, 'occupied', 'Somebody else'],
    [4400, 'No graphics devices are present.', true, 'absent', 'no screen'],
    [4400, 'VMI is not running', false, 'off', 'connects when it runs'],
    [4400, 'VMI is not running', true, 'retried', 'VMI is not running'],
    [4502, '', true, 'retried', 'HTTP 502'],
    [1006, '', true, 'retried', 'lost'],
    [1006, '', false, 'off', 'not running'],
  ])('%i "%s", reachable: %s', (code, reason, isReachable, kind, text) => {
    const end = streamEnd({ code, reason }, { kind: 'screen', isReachable, isPolite: true });
    expect(end.kind).toBe(kind);
    expect(end.text).toContain(text);
    expect(end.text).not.toMatch(/\p{Cc}/u);
  });

  it('with 409 is no question when it was not asked politely', () => {
    const end = streamEnd({ code: 4409, reason: 'failed' }, { kind: 'serial', isReachable: true, isPolite: false });
    expect(end).toEqual({ kind: 'retried', text: 'failed' });
  });
});

describe('a refused handshake', () => {
  it.each([
    [403, 'forbidden', true, { code: 4403, reason: 'forbidden' }],
    [
      409,
      'Active VNC connection. Request denied.',
      true,
      { code: 4409, reason: 'Active VNC connection. Request denied.' },
    ],
    [400, 'VMI is not running', true, { code: 4400, reason: 'VMI is not running' }],
    [400, 'virtualmachineinstances/vnc is a stream; connect with a WebSocket', true, 'maybeOccupied'],
    [400, 'virtualmachineinstances/vnc is a stream; connect with a WebSocket', false, 'unknown'],
  ])('%i %s, polite: %s', (code, message, isPolite, expected) => {
    expect(endOfRefusal(code, message, isPolite)).toEqual(expected);
  });
});
