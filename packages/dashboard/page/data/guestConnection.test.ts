import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConsoleKind } from '../decisions/consoles/streamEnd.ts';
import { GuestConnection, type Phase } from './guestConnection.ts';
import { Refused } from './refused.ts';

/** A WebSocket as far as a connection sees it: browsers have the real one, and Node's cannot be refused at will. */
class Socket extends EventTarget {
  readonly path: string;
  isClosed = false;
  constructor(path: string) {
    super();
    this.path = path;
  }
  close(): void {
    this.isClosed = true;
  }
  opens(): void {
    this.dispatchEvent(new Event('open'));
  }
  ends(code: number, reason = ''): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function connection(kind: ConsoleKind, isReachable = true, ask = (): Promise<unknown> => Promise.resolve()) {
  const sockets: Socket[] = [];
  const phases: Phase[] = [];
  const used: string[] = [];
  const guest = new GuestConnection(
    {
      kind,
      path: '/guest',
      open: (path) => {
        sockets.push(new Socket(path));
        return sockets.at(-1) as unknown as WebSocket;
      },
      ask,
      attach: (socket, ready) => {
        socket.addEventListener('open', ready);
        used.push('attached');
        return () => used.push('detached');
      },
      onPhase: (phase) => phases.push(phase),
    },
    isReachable,
  );
  const last = (): Socket => sockets.at(-1) as Socket;
  const phase = (): string | undefined => {
    const now = phases.at(-1);
    return now?.kind === 'ended' ? now.end.kind : now?.kind;
  };
  return { guest, sockets, last, phase, used };
}

describe('a serial console', () => {
  it('connects again after a cut', async () => {
    const { sockets, last, phase, used } = connection('serial');
    last().opens();
    expect(phase()).toBe('connected');
    last().ends(1006);
    expect(phase()).toBe('retried');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sockets).toHaveLength(2);
    expect(used).toEqual(['attached', 'detached', 'attached']);
  });

  it('is left to who took it over, until the user takes it back', async () => {
    const { guest, sockets, last, phase } = connection('serial');
    last().opens();
    last().ends(1000, 'taken over by eve');
    expect(phase()).toBe('takenOver');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
    guest.connect(true);
    last().opens();
    expect(phase()).toBe('connected');
  });

  it('waits for a machine that is off, and connects when it runs', async () => {
    const { guest, sockets, phase } = connection('serial', false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sockets.length, phase()]).toEqual([0, 'off']);
    guest.setReachable(true);
    expect(sockets).toHaveLength(1);
  });

  it('stays connected while the machine stops', () => {
    const { guest, last, phase } = connection('serial');
    last().opens();
    guest.setReachable(false);
    expect(phase()).toBe('connected');
    last().ends(1000);
    expect(phase()).toBe('off');
  });

  it('that is left closes its socket, and never comes back', async () => {
    const { guest, sockets, last } = connection('serial');
    last().opens();
    guest.close();
    expect(last().isClosed).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe('a screen', () => {
  it('is asked for politely, and taken over only if the user says so', async () => {
    const { guest, sockets, last, phase } = connection('screen');
    expect(last().path).toBe('/guest?preserveSession=true');
    for (let count = 0; count < 3; count++) {
      last().opens();
      last().ends(4409, 'Active VNC connection. Request denied.');
      await vi.advanceTimersByTimeAsync(400);
    }
    expect(sockets.length).toBeGreaterThan(1);
    guest.connect(true);
    expect(last().path).toBe('/guest');
    last().opens();
    expect(phase()).toBe('connected');
  });

  it('whose handshake failed is asked why by a plain request', async () => {
    const ask = () => Promise.reject(new Refused(403, 'not you'));
    const { last, phase } = connection('screen', true, ask);
    last().ends(1006);
    await vi.advanceTimersByTimeAsync(0);
    expect(phase()).toBe('forbidden');
  });

  it('whose server does not say why may be in use', async () => {
    const ask = () => Promise.reject(new Refused(400, 'vnc is a stream; connect with a WebSocket'));
    const { last, phase } = connection('screen', true, ask);
    for (let count = 0; count < 3; count++) {
      last().ends(1006);
      await vi.advanceTimersByTimeAsync(400);
    }
    expect(phase()).toBe('occupied');
  });
});
