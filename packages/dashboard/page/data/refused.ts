/** The server answered, and said no. */
export class Refused extends Error {
  readonly code: number;
  /** What the server says of single fields. */
  readonly causes: readonly Cause[];
  constructor(code: number, message: string, causes: readonly Cause[] = []) {
    super(message);
    this.name = 'Refused';
    this.code = code;
    this.causes = causes;
  }
}

interface Cause {
  readonly message?: string;
  readonly field?: string;
}

/** The server's own words in an answer that is no success; a Status where it sent one. */
export function refusedFrom(code: number, body: string): Refused {
  try {
    const { message, details } = JSON.parse(body) as { message?: unknown; details?: { causes?: readonly Cause[] } };
    if (typeof message === 'string' && message !== '') return new Refused(code, message, details?.causes ?? []);
  } catch {
    // Not JSON: the text itself has to do.
  }
  const text = body.trim();
  return new Refused(
    code,
    text !== '' && text.length < 300 && !text.startsWith('<') ? text : `The server answered with HTTP ${code}.`,
  );
}
