import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { PacedWriter } from '../../data/pacedWriter.ts';
import type { Match, Row } from '../../decisions/consoles/find.ts';
import { avoidInlineStyles } from '../avoidInlineStyles.ts';

interface Options {
  readonly label: string;
  readonly fontSize: number;
  readonly onInput: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** A text that was pasted; whoever gets it decides whether to send it. */
  readonly onPaste: (text: string) => void;
}

/** A terminal on the page. */
export interface OpenTerminal {
  write(data: Uint8Array): void;
  /** Sends a text as a paste, in brackets where the guest asked for them. */
  paste(text: string): void;
  focus(): void;
  setFontSize(size: number): void;
  size(): { readonly rows: number; readonly columns: number };
  rows(): Row[];
  show(match: Match | undefined): void;
  close(): void;
}

const encoder = new TextEncoder();

export function openTerminal(holder: HTMLElement, { label, fontSize, onInput, onPaste }: Options): OpenTerminal {
  const endAvoiding = avoidInlineStyles();
  const terminal = new Terminal({
    cursorBlink: false,
    scrollback: 5_000,
    fontSize,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    theme: { background: '#0a0c0f', foreground: '#e7eaef', selectionBackground: '#2f6fb3' },
  });
  const addon = new FitAddon();
  terminal.loadAddon(addon);
  terminal.open(holder);
  terminal.textarea?.setAttribute('aria-label', label);
  // A terminal in a tab that is not shown has no size, and keeps the one it had.
  const fit = (): void => {
    if (holder.clientWidth > 0 && holder.clientHeight > 0) addon.fit();
  };
  fit();
  const observer = new ResizeObserver(fit);
  observer.observe(holder);
  terminal.onData((text) => onInput(encoder.encode(text)));
  terminal.onBinary((text) => onInput(Uint8Array.from(text, (character) => character.charCodeAt(0))));
  const interceptPaste = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    onPaste(event.clipboardData?.getData('text/plain') ?? '');
  };
  holder.addEventListener('paste', interceptPaste, true);
  const writer = new PacedWriter((bytes, done) => terminal.write(bytes, done));
  return {
    write: (data) => writer.push(data),
    paste: (text) => terminal.paste(text),
    focus: () => terminal.focus(),
    setFontSize: (size) => {
      terminal.options.fontSize = size;
      fit();
    },
    size: () => ({ rows: terminal.rows, columns: terminal.cols }),
    rows: () => rowsOf(terminal),
    show: (match) => show(terminal, match),
    close: () => {
      observer.disconnect();
      holder.removeEventListener('paste', interceptPaste, true);
      terminal.dispose();
      endAvoiding();
    },
  };
}

function rowsOf(terminal: Terminal): Row[] {
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, index) => {
    const line = active.getLine(index);
    return { text: line?.translateToString(false) ?? '', isWrapped: line?.isWrapped ?? false };
  });
}

/** Selects a match and scrolls it into view, with some rows around it. */
function show(terminal: Terminal, match: Match | undefined): void {
  terminal.clearSelection();
  if (!match) return;
  terminal.select(match.column, match.row, match.length);
  terminal.scrollToLine(Math.max(0, match.row - Math.floor(terminal.rows / 2)));
}
