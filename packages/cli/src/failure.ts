/** The exit code of a command whose time to wait is over, as of timeout(1). */
export const TIMED_OUT = 124;

export interface FailureOptions extends ErrorOptions {
  /** What the command ends with; 1 unless given. */
  readonly exitCode?: number;
}

/** An error that is the user's to solve: printed with what to do about it, without a stack. */
export class Failure extends Error {
  readonly hint: string | undefined;
  readonly exitCode: number;
  constructor(message: string, hint?: string, { exitCode = 1, ...options }: FailureOptions = {}) {
    super(message, options);
    this.name = 'Failure';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** Prints why the command ends. An error nobody foresaw keeps its stack: that is what a bug report needs. */
export function printError(error: unknown): void {
  if (error instanceof Failure) {
    // Some messages are those of virtctl to the letter, and say so themselves.
    console.error(/^error\b/i.test(error.message) ? error.message : `error: ${error.message}`);
    if (error.hint) console.error(error.hint);
  } else {
    console.error('error: this is a bug in Vireo; please report it with the lines below');
    console.error(error);
  }
}

/** Why a file cannot be used, in the system's words: without the code, the call and the path, which are said already. */
export function fileProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return errorCode(error) === undefined ? message : message.replace(/^[A-Z0-9]+: /, '').replace(/, \w+( '.*')?$/, '');
}

/** The system's code of an error (`EADDRINUSE`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
