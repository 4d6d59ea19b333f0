const MAX_BYTES = 4096;
const MAX_BYTES_OF_ONE = 256;

/** `Warning: 299` headers. Clients refuse headers that are too long: when there is much to say, each text is cut. */
export function warningHeaders(texts: readonly string[]): string[] {
  const printable = [...new Set(texts)].map(toPrintable);
  const isMuch = printable.reduce((sum, { length }) => sum + length, 0) > MAX_BYTES;
  const headers: string[] = [];
  let left = MAX_BYTES;
  for (const text of printable) {
    const shown = isMuch ? text.slice(0, MAX_BYTES_OF_ONE) : text;
    left -= shown.length;
    if (left < 0) break;
    headers.push(`299 - "${toHeader(shown.replace(/["\\]/g, '\\$&'))}"`);
  }
  return headers;
}

/** A line break in a header would begin the next. */
const toPrintable = (text: string): string => text.replace(/[\r\n\t]+/g, ' ').replace(/\p{Cc}/gu, '?');

/** Clients read UTF-8; Node takes each character of a header for one byte. */
const toHeader = (text: string): string => Buffer.from(text).toString('latin1');

/** The texts of `Warning` headers; whatever else they hold is passed over. */
export function parseWarnings(header: string | undefined): readonly string[] {
  const text = Buffer.from(header ?? '', 'latin1').toString();
  return [...text.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}
