import { logLine, type Progress, terminalLine } from './progressText.ts';

/** Shows how far something is: one line that is redrawn on a terminal, a line now and then in a log. */
export interface ProgressDisplay {
  update(progress: Progress): void;
  /** Ends the display. With a text, that stays in its place; without one, the last state does on a terminal. */
  end(text?: string): void;
  /** Ends the display and leaves nothing of it on a terminal. */
  clear(): void;
}

/** Where progress is shown: standard error, because standard output may be the data itself. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface DisplayOptions {
  /** Whether a log has a line when other work begins. */
  readonly announcesLabels?: boolean;
  readonly now?: () => number;
}

/** Often enough to be seen. */
const REDRAW_MS = 100;
/** So that time that passes shows where nothing else does. */
const TICK_MS = 1_000;
/** A log stays short. */
const LOG_MS = 5_000;

const START_OF_LINE = '\r';
const CLEAR_TO_END = '\x1b[K';

/**
 * @example
 * const display = progressDisplay();
 * display.update({ label: 'Uploading disk.img', doneBytes, totalBytes });
 * display.end();
 */
export function progressDisplay(
  output: ProgressOutput = process.stderr,
  { announcesLabels = false, now = Date.now }: DisplayOptions = {},
): ProgressDisplay {
  const isTerminal = output.isTTY === true && process.env.TERM !== 'dumb';
  return isTerminal ? terminalDisplay(output, now) : logDisplay(output, now, announcesLabels);
}

function terminalDisplay(output: ProgressOutput, now: () => number): ProgressDisplay {
  const state = labelledState(now);
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const draw = (): void => {
    if (!state.progress) return;
    drawnAtMs = now();
    const line = terminalLine(state.progress, state.elapsedMs(), output.columns || undefined);
    output.write(`${START_OF_LINE}${line}${CLEAR_TO_END}`);
  };
  const ticking = setInterval(draw, TICK_MS).unref();
  const stop = (): boolean => {
    clearInterval(ticking);
    return state.progress !== undefined;
  };
  return {
    update(progress) {
      const isNew = state.set(progress);
      if (isNew || now() - drawnAtMs >= REDRAW_MS) draw();
    },
    end(text) {
      if (text === undefined) draw();
      const isDrawn = stop();
      if (text !== undefined) output.write(`${isDrawn ? START_OF_LINE : ''}${text}${isDrawn ? CLEAR_TO_END : ''}\n`);
      else if (isDrawn) output.write('\n');
    },
    clear() {
      if (stop()) output.write(`${START_OF_LINE}${CLEAR_TO_END}`);
    },
  };
}

function logDisplay(output: ProgressOutput, now: () => number, announcesLabels: boolean): ProgressDisplay {
  const state = labelledState(now);
  const ticking = setInterval(() => {
    if (state.progress) output.write(`${logLine(state.progress, state.elapsedMs())}\n`);
  }, LOG_MS).unref();
  return {
    update(progress) {
      const isNew = state.set(progress);
      if (!isNew || !announcesLabels) return;
      output.write(`${progress.label} …\n`);
      ticking.refresh(); // the next line says how long this has taken: not before it has
    },
    end(text) {
      clearInterval(ticking);
      if (text !== undefined) output.write(`${text}\n`);
    },
    clear: () => clearInterval(ticking),
  };
}

/** The last progress, and how long its label has been shown: another label is other work. */
function labelledState(now: () => number) {
  let startedAtMs = now();
  const state = {
    progress: undefined as Progress | undefined,
    elapsedMs: () => now() - startedAtMs,
    /** Whether the label is new. */
    set(progress: Progress): boolean {
      const isNew = progress.label !== state.progress?.label;
      if (isNew) startedAtMs = now();
      state.progress = progress;
      return isNew;
    },
  };
  return state;
}

/** Counts the bytes of one transfer. */
export interface TransferProgress {
  add(bytes: number): void;
  end(): void;
}

/** Shows the progress of a transfer; without `totalBytes`, nobody knows how much there is. */
export function transferProgress(label: string, totalBytes?: number, output?: ProgressOutput): TransferProgress {
  const display = progressDisplay(output);
  let doneBytes = 0;
  const show = (): void => display.update({ label, doneBytes, totalBytes });
  show();
  return {
    add(bytes) {
      doneBytes += bytes;
      show();
    },
    end: () => display.end(),
  };
}
