import { malformedError, WireReader } from './wire.ts';

const EARLIEST = Date.parse('0001-01-01T00:00:00Z') / 1000;
const LATEST = Date.parse('9999-12-31T23:59:59Z') / 1000;

/** `metav1.Time` as JSON writes it; undefined for the zero time, which is an empty message. */
export function readTime(bytes: Buffer): string | undefined {
  const at = readTimestamp(bytes);
  return at && `${isoSeconds(at.seconds)}Z`;
}

/** `metav1.MicroTime` as JSON writes it. */
export function readMicroTime(bytes: Buffer): string | undefined {
  const at = readTimestamp(bytes);
  return at && `${isoSeconds(at.seconds)}.${String(Math.floor(at.nanos / 1000)).padStart(6, '0')}Z`;
}

const isoSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);

function readTimestamp(bytes: Buffer): { seconds: number; nanos: number } | undefined {
  if (bytes.length === 0) return undefined;
  const reader = new WireReader(bytes);
  let [seconds, nanos] = [0, 0];
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (wireType !== 0 || field > 2) reader.skip(wireType);
    else if (field === 1) seconds = reader.integer();
    else nanos = reader.integer();
  }
  if (seconds < EARLIEST || seconds > LATEST || nanos < 0 || nanos >= 1e9)
    throw malformedError(`time ${seconds}s ${nanos}ns is out of range`);
  return { seconds, nanos };
}
