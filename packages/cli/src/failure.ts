/** An error that is the user's to solve: printed with what to do about it, without a stack. */
export class Failure extends Error {
  readonly hint: string | undefined;
  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.hint = hint;
  }
}

/** Prints why the command ends. An error nobody foresaw keeps its stack: that is what a bug report needs. */
export function printError(error: unknown): void {
  if (error instanceof Failure) {
    // Some messages are those of virtctl to the letter, and say so themselves.
    console.error(/^error\b/i.test(error.message) ? error.message : `error: ${error.message}`);
    if (error.hint) console.error(error.hint);
  } else {
    console.error('error: this should not happen; please report it with the lines below');
    console.error(error);
  }
}

/** The system's code of an error (`EADDRINUSE`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
