/** Request headers by lower-case name; one that came several times has all its values. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Headers from the raw list that Node gives, with repeated ones kept apart. Node's own `headers` joins them with commas,
 * and a group named `a, b` could then not be told from two groups.
 */
export function headersFromRaw(rawHeaders: readonly string[]): Record<string, readonly string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    headers[name] ??= [];
    headers[name].push(rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** The values of one header; none if it is missing. */
export function headerValues(headers: HeaderValues, name: string): readonly string[] {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The headers `<prefix><key>: value` as key → values; keys arrive percent-encoded where they are no header names. */
export function prefixedHeaderValues(headers: HeaderValues, prefix: string): Record<string, string[]> {
  const found: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(prefix) || name === prefix) continue;
    const key = decodeKey(name.slice(prefix.length));
    found[key] = [...(found[key] ?? []), ...headerValues(headers, name)];
  }
  return found;
}

function decodeKey(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
