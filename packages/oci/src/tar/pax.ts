import { OciError } from '../errors.ts';

/** Reads the records `length key=value\n` of an extended header. */
export function parsePax(body: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  // Archives pad the last record's block with zeros, which are not part of the body but harmless.
  while (at < body.length && body[at] !== 0) {
    const space = body.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : decimal(body.toString('latin1', at, space));
    const end = at + length;
    if (!(end > space + 1) || end > body.length || body[end - 1] !== 0x0a) throw damagedError();
    const record = body.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals < 1) throw damagedError();
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

/** A size in an extended header. */
export function paxSize(value: string): number {
  const size = decimal(value);
  if (!Number.isSafeInteger(size)) throw damagedError();
  return size;
}

const decimal = (digits: string): number => (/^[0-9]{1,16}$/.test(digits) ? Number(digits) : Number.NaN);

const damagedError = (): OciError =>
  new OciError('BadImage', 'the tar archive is damaged: an extended header is malformed');
