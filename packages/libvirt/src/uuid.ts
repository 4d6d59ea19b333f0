const pattern = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** Sixteen bytes in the usual form, lower case. */
export function formatUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function parseUuid(text: string): Buffer {
  if (!pattern.test(text)) throw new TypeError(`${JSON.stringify(text)} is no UUID`);
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}
