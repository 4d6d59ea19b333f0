/** One page of a listing. */
export interface Page {
  readonly keys: readonly string[];
  /** Beginnings of keys up to the delimiter. */
  readonly prefixes: readonly string[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** Reads what a server answers to ListObjectsV2. */
export function parsePage(xml: string): Page {
  const isTruncated = textOf(xml, 'IsTruncated') === 'true';
  return {
    keys: elements(xml, 'Contents').flatMap((element) => textOf(element, 'Key') ?? []),
    prefixes: elements(xml, 'CommonPrefixes').flatMap((element) => textOf(element, 'Prefix') ?? []),
    next: isTruncated ? textOf(xml, 'NextContinuationToken') : undefined,
  };
}

/** What a server says is wrong. */
export function parseError(xml: string): { readonly code: string; readonly message: string } {
  return { code: textOf(xml, 'Code') ?? '', message: textOf(xml, 'Message') ?? '' };
}

/** The contents of all elements of that name. None of those that are read contains itself. */
const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, 'gs'))].map(([, content = '']) => content);

const textOf = (xml: string, name: string): string | undefined => {
  const [content] = elements(xml, name);
  return content === undefined ? undefined : unescaped(content);
};

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });
