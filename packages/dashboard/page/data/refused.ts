/** The server answered, and said no. */
export class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
  }
}

/** The server's own words in an answer that is no success; a Status where it sent one. */
export function refusedFrom(code: number, body: string): Refused {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === 'string' && message !== '') return new Refused(code, message);
  } catch {
    // Not JSON: the text itself has to do.
  }
  const text = body.trim();
  return new Refused(
    code,
    text !== '' && text.length < 300 && !text.startsWith('<') ? text : `The server answered with HTTP ${code}.`,
  );
}
