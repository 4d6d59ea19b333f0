import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { Zone } from './zone.ts';

const FORMAT_ERROR = 1;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
/** What a client takes over UDP that does not say otherwise. */
const SHORTEST_LIMIT = 512;
/** What passes every network without fragments. */
const LONGEST_LIMIT = 1232;

/** What is to be done with a query: send a reply, ask others, or nothing. */
export type Verdict =
  | { readonly kind: 'reply'; readonly message: Buffer }
  | { readonly kind: 'forward' }
  | { readonly kind: 'ignore' };

/** Decides about a query by what a zone knows. `isTcp`: the reply may be as long as it is. */
export function answerDns(message: Buffer, zone: Zone, { isTcp }: { isTcp: boolean }): Verdict {
  // Too short for a header, or a reply.
  if (message.length < 12 || ((message[2] ?? 0) & 0x80) !== 0) return { kind: 'ignore' };
  let query: Packet;
  try {
    query = decode(message);
  } catch {
    return { kind: 'reply', message: formatError(message) };
  }
  const [question, ...others] = query.questions ?? [];
  if (!question || others.length > 0) return { kind: 'reply', message: formatError(message) };
  const known = zone.resolve(question.name.toLowerCase().replace(/\.$/, ''), question.type);
  if (!known) return { kind: 'forward' };
  const flags = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | ((query.flags ?? 0) & RECURSION_DESIRED);
  const reply: Packet = {
    type: 'response',
    id: query.id ?? 0,
    flags: flags | (known.exists ? 0 : NAME_ERROR),
    questions: [question],
    answers: [...known.records],
  };
  const whole = encode(reply);
  if (isTcp || whole.length <= limitOf(query)) return { kind: 'reply', message: whole };
  return { kind: 'reply', message: encode({ ...reply, flags: flags | TRUNCATED_RESPONSE, answers: [] }) };
}

/** The reply to a question that nobody could answer. */
export function failure(message: Buffer): Buffer {
  const { id = 0, flags = 0, questions = [] } = decode(message);
  return encode({
    type: 'response',
    id,
    flags: (flags & RECURSION_DESIRED) | RECURSION_AVAILABLE | SERVER_FAILURE,
    questions,
  });
}

/** The reply to a message that cannot be understood: its number is all that can be repeated. */
function formatError(message: Buffer): Buffer {
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  header[2] = 0x80;
  header[3] = FORMAT_ERROR;
  return header;
}

function limitOf({ additionals = [] }: Packet): number {
  const options = additionals.find(({ type }) => type === 'OPT');
  const size = options && 'udpPayloadSize' in options ? options.udpPayloadSize : SHORTEST_LIMIT;
  return Math.min(LONGEST_LIMIT, Math.max(SHORTEST_LIMIT, size));
}
