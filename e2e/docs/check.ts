import { isShown } from './expected.ts';
import type { Shell } from './shell.ts';
import type { Step } from './steps.ts';

/** How often a command that only reads is repeated: users repeat it until they see the result. */
const MAX_ATTEMPTS = 60;
const READS = /^(kubectl\b.* get\b|(bin\/)?vireo (status|\w+ list)\b)/;

/**
 * Runs a command of a page and throws where it does not do what the page says: where it fails although no error is shown
 * below it, or prints something else than what is shown.
 */
export async function check(
  { command, output }: Step,
  shell: Shell,
  inWordsOfPages: (text: string) => string,
): Promise<void> {
  const attempts = output !== undefined && READS.test(command) ? MAX_ATTEMPTS : 1;
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
