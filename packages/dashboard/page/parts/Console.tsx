import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useCallback, useEffect, useRef, useState } from 'react';
import { retryDelayMs } from '../decisions/connection.ts';
import { consoleEnd } from '../decisions/consoleEnd.ts';
import type { Machine } from '../decisions/machine.ts';
import { avoidInlineStyles } from './avoidInlineStyles.ts';
import { useSession } from './session.tsx';

type Phase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'ended'; readonly text: string; readonly isRetried: boolean };

const encoder = new TextEncoder();

/** The serial console of a machine. Whoever connects last has it; a guest that restarts is connected to again. */
export default function Console({ machine }: { readonly machine: Machine }) {
  const { namespace, name, hasInstance } = machine;
  const { api } = useSession().session;
  const holder = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal>(null);
  const socket = useRef<WebSocket>(null);
  const [phase, setPhase] = useState<Phase>({ kind: 'connecting' });
  const [turn, setTurn] = useState(0);
  const attempt = useRef(0);
  const isRunning = useRef(hasInstance);
  isRunning.current = hasInstance;

  useEffect(() => {
    if (!holder.current) return;
    const endAvoiding = avoidInlineStyles();
    const made = new Terminal({
      cursorBlink: false,
      scrollback: 5_000,
      fontSize: 13,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
      theme: { background: '#0a0c0f', foreground: '#e7eaef' },
      screenReaderMode: false,
    });
    const fit = new FitAddon();
    made.loadAddon(fit);
    made.open(holder.current);
    made.textarea?.setAttribute('aria-label', `Serial console of ${name}`);
    fit.fit();
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(holder.current);
    const send = (bytes: Uint8Array<ArrayBuffer>): void => {
      if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(bytes);
    };
    made.onData((text) => send(encoder.encode(text)));
    made.onBinary((text) => send(Uint8Array.from(text, (character) => character.charCodeAt(0))));
    terminal.current = made;
    return () => {
      observer.disconnect();
      made.dispose();
      endAvoiding();
      terminal.current = null;
    };
  }, [name]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another connection
  useEffect(() => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/console`;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    setPhase({ kind: 'connecting' });
    const opened = api.open(path);
    opened.binaryType = 'arraybuffer';
    opened.addEventListener('open', () => {
      if (isLeft) return;
      attempt.current = 0;
      setPhase({ kind: 'connected' });
    });
    opened.addEventListener('message', ({ data }) => {
      terminal.current?.write(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    });
    opened.addEventListener('close', ({ code, reason }) => {
      if (isLeft) return;
      const end = consoleEnd(code, reason, isRunning.current);
      setPhase({ kind: 'ended', ...end });
      if (!end.isRetried) return;
      retry = setTimeout(() => setTurn((before) => before + 1), retryDelayMs(attempt.current + 1, Math.random()));
      attempt.current += 1;
    });
    socket.current = opened;
    return () => {
      isLeft = true;
      clearTimeout(retry);
      opened.close();
    };
  }, [api, namespace, name, turn]);

  const reconnect = useCallback((): void => {
    attempt.current = 0;
    setTurn((before) => before + 1);
  }, []);
  return (
    <div className="console">
      <div className="console-head" role="status">
        {phase.kind === 'connected' && 'Connected. Press Enter if nothing is shown.'}
        {phase.kind === 'connecting' && 'Connecting…'}
        {phase.kind === 'ended' && (
          <>
            {phase.text}{' '}
            <button type="button" onClick={reconnect}>
              Connect
            </button>
          </>
        )}
      </div>
      <div className="console-screen">
        <div className="console-fit" ref={holder} />
      </div>
    </div>
  );
}
