import { type ProgressDisplay, type ProgressOutput, progressDisplay } from '../../../progress/progressDisplay.ts';
import type { Progress } from './progress.ts';

/** Where the steps of a launch are shown. */
export interface StatusLine {
  show(progress: Progress): void;
  /** Says a line that stays. */
  say(line: string): void;
  /** Leaves nothing of a step on a terminal. */
  clear(): void;
}

/** On a terminal, one line that is rewritten; in a log, a line for every step and now and then how far it is. */
export function statusLine(output: ProgressOutput = process.stdout): StatusLine {
  let display: ProgressDisplay | undefined;
  return {
    show({ step, percent, cause }) {
      display ??= progressDisplay(output, { announcesLabels: true });
      const label = `  ${step}${cause ? `: ${cause}` : ''}`;
      display.update({ label, ...(percent !== undefined && { share: percent / 100 }) });
    },
    say(line) {
      if (display) display.end(line);
      else output.write(`${line}\n`);
      display = undefined;
    },
    clear() {
      display?.clear();
      display = undefined;
    },
  };
}
