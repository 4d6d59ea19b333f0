/** An error that is the user's to solve: printed as a message with what to do, without a stack. */
export class Failure extends Error {
  /**
   * @param {string} message what is wrong, naming the thing
   * @param {{ hint?: string, exitCode?: number }} [options]
   */
  constructor(message, { hint, exitCode = 1 } = {}) {
    super(message);
    this.name = 'Failure';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/**
 * Runs a launcher and ends the process the way it says: with its exit code, or with a message.
 *
 * @param {() => Promise<number | undefined>} main
 */
export async function runLauncher(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\nerror: ${error.message}`);
    if (error.hint) console.error(error.hint);
    process.exitCode = error.exitCode;
  }
}
