import RFB from '@novnc/novnc';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { Key } from '../../decisions/screens/keys.ts';

interface Settings {
  readonly isFitted: boolean;
  readonly isViewOnly: boolean;
}

export interface ScreenHandle {
  /** Uses a WebSocket for as long as what it returns has not been called. */
  readonly attach: (socket: WebSocket, ready: () => void) => () => void;
  readonly send: (key: Key, isDown: boolean) => void;
  readonly focus: () => void;
  /** The screen as a picture; undefined while there is none. */
  readonly picture: () => Promise<Blob | undefined>;
}

/** noVNC in an element: one RFB object for each connection. */
export function useScreen(
  holder: RefObject<HTMLElement | null>,
  label: string,
  { isFitted, isViewOnly }: Settings,
): ScreenHandle {
  const current = useRef<RFB>(null);
  const settings = useRef({ isFitted, isViewOnly });
  settings.current = { isFitted, isViewOnly };
  useEffect(() => {
    if (current.current) apply(current.current, { isFitted, isViewOnly });
  }, [isFitted, isViewOnly]);

  const attach = useCallback(
    (socket: WebSocket, ready: () => void): (() => void) => {
      let rfb: RFB | undefined;
      // VNC servers speak first. A socket that is refused never does, and noVNC need not hear of it.
      const begin = ({ data }: MessageEvent<ArrayBuffer>): void => {
        if (!holder.current) return;
        const made = new RFB(holder.current, socket, { shared: true });
        rfb = made;
        current.current = made;
        apply(made, settings.current);
        made.background = 'transparent';
        made.addEventListener('connect', () => {
          name(holder.current, label);
          ready();
        });
        socket.dispatchEvent(new MessageEvent('message', { data }));
      };
      socket.addEventListener('message', begin, { once: true });
      return () => {
        socket.removeEventListener('message', begin);
        if (rfb && current.current === rfb) current.current = null;
        rfb?.disconnect();
      };
    },
    [holder, label],
  );
  const send = useCallback(
    ({ keysym, code }: Key, isDown: boolean) => current.current?.sendKey(keysym, code, isDown),
    [],
  );
  const focus = useCallback(() => current.current?.focus({ preventScroll: true }), []);
  const picture = useCallback(async (): Promise<Blob | undefined> => {
    const rfb = current.current;
    return rfb ? new Promise((resolve) => rfb.toBlob((blob) => resolve(blob ?? undefined), 'image/png')) : undefined;
  }, []);
  return { attach, send, focus, picture };
}

function apply(rfb: RFB, { isFitted, isViewOnly }: Settings): void {
  rfb.scaleViewport = isFitted;
  // Not clipped: what does not fit has scroll bars.
  rfb.clipViewport = false;
  rfb.viewOnly = isViewOnly;
}

/** noVNC's canvas takes the keys, so it can be reached by keyboard and has a name. */
function name(holder: HTMLElement | null, label: string): void {
  const canvas = holder?.querySelector('canvas');
  if (!canvas) return;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', label);
}
