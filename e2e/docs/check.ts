import { isShown } from './expected.ts';
import type { Shell } from './shell.ts';
import type { Step } from './steps.ts';

/** How often a command that looks at something is repeated: a user looks again until it has come about. */
const LOOKS = 60;
const LOOK = /^(kubectl\b.* get\b|(bin\/)?vireo (status|\w+ list)\b)/;

/**
 * Runs a command of a page and throws where it does not do what the page says: where it fails although no error is shown
 * below it, or prints something else than what is shown.
 */
export async function check(
  { command, output }: Step,
  shell: Shell,
  inWordsOfPages: (text: string) => string,
): Promise<void> {
  const attempts = output !== undefined && LOOK.test(command) ? LOOKS : 1;
  for (let attempt = 1; ; attempt++) {
    const { code, printed } = await shell.run(command);
    const text = inWordsOfPages(printed);
    if (output === undefined ? code === 0 : isShown(output, text)) return;
    if (attempt < attempts) await shell.run('sleep 0.5');
    else
      throw new Error(
        `${command}\nended with ${code} and printed\n${text}${output === undefined ? '' : `\nwhere the page has\n${output}`}`,
      );
  }
}
