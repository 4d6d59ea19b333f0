import { useCallback, useEffect, useRef, useState } from 'react';
import { GuestConnection, type Phase } from '../../data/guestConnection.ts';
import { forbiddenText } from '../../decisions/actions.ts';
import { type ConsoleRef, isReachable, streamPath, streamPermission } from '../../decisions/consoles/guest.ts';
import type { Machine } from '../../decisions/machine.ts';
import { useMay, useSession } from '../session.tsx';

type Attach = (socket: WebSocket, ready: () => void) => () => void;

const CONNECTING: Phase = { kind: 'connecting' };

/** Keeps a console of a machine connected while it is drawn. `attach` must stay the same function. */
export function useGuestConnection(
  kind: ConsoleRef['kind'],
  machine: Machine,
  isThere: boolean,
  attach: Attach,
): { phase: Phase; connect: (takesOver?: boolean) => void } {
  const { namespace, name } = machine;
  const { api } = useSession().session;
  const may = useMay();
  const permission = streamPermission(kind);
  const isForbidden = may(permission, namespace) === false;
  const [phase, setPhase] = useState<Phase>(CONNECTING);
  const connection = useRef<GuestConnection>(null);
  const reachable = isReachable(machine);
  const wasReachable = useRef(reachable);
  wasReachable.current = reachable;

  useEffect(() => {
    if (!isThere || isForbidden) return;
    const made = new GuestConnection(
      {
        kind,
        path: streamPath({ kind, namespace, name }),
        open: (path) => api.open(path),
        ask: (path) => api.request('GET', path),
        attach,
        onPhase: setPhase,
      },
      wasReachable.current,
    );
    connection.current = made;
    return () => {
      connection.current = null;
      made.close();
    };
  }, [api, kind, namespace, name, isThere, isForbidden, attach]);

  useEffect(() => connection.current?.setReachable(reachable), [reachable]);

  const connect = useCallback((takesOver = false): void => connection.current?.connect(takesOver), []);
  if (!isThere) return { phase: ended('absent', ABSENT[kind]), connect };
  if (isForbidden) return { phase: ended('forbidden', forbiddenText(permission, namespace)), connect };
  return { phase, connect };
}

const ABSENT = {
  serial: 'This machine has no serial console: autoattachSerialConsole is false in its spec.',
  screen: 'This machine has no screen: autoattachGraphicsDevice is false in its spec.',
} as const;

const ended = (kind: 'absent' | 'forbidden', text: string): Phase => ({ kind: 'ended', end: { kind, text } });
