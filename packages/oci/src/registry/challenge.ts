/** What a registry wants to know before it answers. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string; readonly scope?: string };

/** Reads `WWW-Authenticate`; the first challenge that can be met, bearer before basic. */
export function parseChallenge(header: string): Challenge | undefined {
  let isBasicOffered = false;
  for (const { scheme, parameters } of challenges(header)) {
    const { realm, service, scope } = parameters;
    if (scheme === 'bearer' && realm) return { scheme, realm, ...(service && { service }), ...(scope && { scope }) };
    if (scheme === 'basic') isBasicOffered = true;
  }
  return isBasicOffered ? { scheme: 'basic' } : undefined;
}

type Parameters = Record<string, string | undefined>;

function* challenges(header: string): Generator<{ scheme: string; parameters: Parameters }> {
  let current: { scheme: string; parameters: Parameters } | undefined;
  const item = /\s*(?:([A-Za-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([A-Za-z][A-Za-z0-9_-]*))\s*,?/y;
  for (let match = item.exec(header); match; match = item.exec(header)) {
    const [, key, quoted, plain, scheme] = match;
    if (scheme) {
      if (current) yield current;
      current = { scheme: scheme.toLowerCase(), parameters: {} };
    } else if (key && current)
      current.parameters[key.toLowerCase()] = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1');
  }
  if (current) yield current;
}
