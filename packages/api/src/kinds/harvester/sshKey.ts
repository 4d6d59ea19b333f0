/** A public key as a line of an authorized_keys file has it. */
export interface SshPublicKey {
  readonly type: string;
  /** The key itself, which fingerprints are made of. */
  readonly blob: Buffer;
}

const KEY = /(?:^|\s)((?:ssh|ecdsa|sk)-[a-z0-9@.-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s|$)/;

/** Reads a public key in the format of OpenSSH: options may stand before it, and a comment after it. Undefined: it is none. */
export function parsePublicKey(text: string): SshPublicKey | undefined {
  const line = text.trim();
  if (/[\r\n]/.test(line)) return undefined;
  const [, type, encoded] = KEY.exec(line) ?? [];
  if (type === undefined || encoded === undefined) return undefined;
  const blob = Buffer.from(encoded, 'base64');
  const parts = partsOf(blob);
  // The type stands in the key, too; every kind of key has something after it.
  return parts && parts.length > 1 && parts[0]?.toString() === type ? { type, blob } : undefined;
}

/** A line in the format of OpenSSH, from the parts of a key: `ssh-rsa AAAA… comment`. */
export function formatPublicKey(type: string, parts: readonly Buffer[], comment: string): string {
  const blob = Buffer.concat([Buffer.from(type), ...parts].flatMap((part) => [lengthOf(part), part]));
  return `${type} ${blob.toString('base64')} ${comment}`;
}

const lengthOf = (part: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
};

/** The parts of a key, each with its length in front. Undefined: they do not add up. */
function partsOf(blob: Buffer): Buffer[] | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    parts.push(blob.subarray(at + 4, end));
    at = end;
  }
  return parts;
}
