import { useCallback, useEffect, useRef, useState } from 'react';
import { textOfRows } from '../../decisions/consoles/find.ts';
import { pastedLines, sizeLine } from '../../decisions/consoles/serialKeys.ts';
import { ConsoleStatus } from './ConsoleStatus.tsx';
import { download, fileName } from './download.ts';
import { FindBar } from './FindBar.tsx';
import { PasteWarning } from './PasteWarning.tsx';
import { PlaceLinks } from './PlaceLinks.tsx';
import { useRemembered } from './remembered.ts';
import { SerialBar } from './SerialBar.tsx';
import { type OpenTerminal, openTerminal } from './terminal.ts';
import { useFullScreen } from './useFullScreen.ts';
import { useGuestConnection } from './useGuestConnection.ts';
import type { ViewProps } from './view.ts';
import '../../styles/consoles.css';

/** `vireo dashboard` opens the socket before the cluster has agreed; a refusal comes within this time. */
const SETTLED_MS = 400;
const encoder = new TextEncoder();

/** The serial console of a machine. Whoever connects last has it. */
export default function SerialView({ machine, isThere, place, onOutput }: ViewProps) {
  const { namespace, name } = machine;
  const whole = useRef<HTMLDivElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const terminal = useRef<OpenTerminal>(null);
  const socket = useRef<WebSocket>(null);
  const output = useRef(onOutput);
  output.current = onOutput;
  const [isFinding, setFinding] = useState(false);
  const [pasted, setPasted] = useState<string>();
  const [stored, storeFontSize] = useRemembered('font-size', '13');
  const fontSize = Number(stored) || 13;
  const firstFontSize = useRef(fontSize);
  const { isLarge, toggle } = useFullScreen(whole);

  const send = useCallback((bytes: Uint8Array<ArrayBuffer>): void => {
    if (socket.current?.readyState === WebSocket.OPEN) socket.current.send(bytes);
  }, []);
  useEffect(() => {
    if (!holder.current) return;
    const opened = openTerminal(holder.current, {
      label: `Serial console of ${name}`,
      fontSize: firstFontSize.current,
      onInput: send,
      onPaste: (text) => (pastedLines(text) > 1 ? setPasted(text) : opened.paste(text)),
    });
    terminal.current = opened;
    return () => {
      terminal.current = null;
      opened.close();
    };
  }, [name, send]);
  useEffect(() => terminal.current?.setFontSize(fontSize), [fontSize]);

  const attach = useCallback((opened: WebSocket, ready: () => void): (() => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReady = false;
    const begin = (): void => {
      clearTimeout(timer);
      if (!isReady) ready();
      isReady = true;
    };
    const onOpen = (): void => {
      socket.current = opened;
      timer = setTimeout(begin, SETTLED_MS);
    };
    const onMessage = ({ data }: MessageEvent<ArrayBuffer | string>): void => {
      begin();
      terminal.current?.write(typeof data === 'string' ? encoder.encode(data) : new Uint8Array(data));
      output.current?.();
    };
    opened.addEventListener('open', onOpen);
    opened.addEventListener('message', onMessage);
    return () => {
      clearTimeout(timer);
      opened.removeEventListener('open', onOpen);
      opened.removeEventListener('message', onMessage);
      if (socket.current === opened) socket.current = null;
    };
  }, []);
  const { phase, connect } = useGuestConnection('serial', machine, isThere, attach);
  const rows = useCallback(() => terminal.current?.rows() ?? [], []);
  const show = useCallback((match: Parameters<OpenTerminal['show']>[0]) => terminal.current?.show(match), []);
  const back = (): void => terminal.current?.focus();
  return (
    <div ref={whole} className={isLarge ? 'console guest-view guest-large' : 'console guest-view'}>
      <div className="console-head">
        <ConsoleStatus kind="serial" machine={machine} phase={phase} onConnect={connect} />
        <SerialBar
          isConnected={phase.kind === 'connected'}
          {...{ isLarge, fontSize }}
          onFontSize={(size) => storeFontSize(String(size))}
          onKey={(bytes) => {
            send(encoder.encode(bytes));
            back();
          }}
          onFind={() => setFinding(true)}
          onSendSize={() => {
            const { rows: height = 24, columns = 80 } = terminal.current?.size() ?? {};
            send(encoder.encode(sizeLine(height, columns)));
            back();
          }}
          onDownload={() => download(new Blob([textOfRows(rows())], { type: 'text/plain' }), fileName(name, 'txt'))}
          onFullScreen={toggle}
        >
          <PlaceLinks console={{ kind: 'serial', namespace, name }} place={place} />
        </SerialBar>
      </div>
      {isFinding && (
        <FindBar
          rows={rows}
          onShow={show}
          onClose={() => {
            setFinding(false);
            back();
          }}
        />
      )}
      <div className="console-screen">
        <div className="console-fit" ref={holder} />
      </div>
      {pasted !== undefined && (
        <PasteWarning
          text={pasted}
          onCancel={() => setPasted(undefined)}
          onPaste={() => {
            setPasted(undefined);
            terminal.current?.paste(pasted);
            back();
          }}
        />
      )}
    </div>
  );
}
