import { array, type Codec, int, optional, string, struct } from './codec.ts';

/**
 * Which domain a call is about. Plain data, good on any connection and after a reconnection. libvirt finds the domain
 * by its UUID; the id is -1 while it does not run.
 */
export interface DomainRef {
  readonly name: string;
  readonly uuid: string;
  readonly id: number;
}

export interface SnapshotRef {
  readonly name: string;
  readonly domain: DomainRef;
}

const uuidPattern = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Sixteen bytes in the usual form, lower case. */
function formatUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function parseUuid(text: string): Buffer {
  if (!uuidPattern.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a UUID`);
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}

const uuid: Codec<string> = {
  write: (writer, value) => writer.fixedOpaque(parseUuid(value)),
  read: (reader) => formatUuid(reader.fixedOpaque(16)),
};

export const uuidOnly = struct({ uuid });

export const domain: Codec<DomainRef> = struct({ name: string, uuid, id: int });

export const snapshot: Codec<SnapshotRef> = struct({ name: string, domain });

/** Most domains that one list may have. */
const maxDomains = 16_384;

export const domains = array(domain, maxDomains);

export const maxDomainRecords = maxDomains;

/** The body of an error reply; the fields after `level` are remains of old versions. */
export const remoteError = struct({
  code: int,
  domain: int,
  message: optional(string),
  level: int,
  unusedDomain: optional(domain),
  detail1: optional(string),
  detail2: optional(string),
  detail3: optional(string),
  number1: int,
  number2: int,
  unusedNetwork: optional(struct({ name: string, uuid })),
});
