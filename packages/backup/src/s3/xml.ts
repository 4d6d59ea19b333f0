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

/**
 * The contents of the elements of that name, up to `most`. None of those that are read contains itself. Each search goes on
 * where the last one ended, and one that finds nothing is the last: what is not XML takes no longer than what is.
 */
function elements(xml: string, name: string, most = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = [];
  for (let from = 0; found.length < most; ) {
    const tag = xml.indexOf(`<${name}`, from);
    if (tag < 0) break;
    const afterName = tag + name.length + 1;
    from = afterName;
    // It may be the beginning of a longer name.
    if (!/[\s>]/.test(xml.charAt(afterName))) continue;
    const start = xml.indexOf('>', afterName) + 1;
    const end = start === 0 ? -1 : xml.indexOf(`</${name}>`, start);
    if (end < 0) break;
    found.push(xml.slice(start, end));
    from = end;
  }
  return found;
}

const textOf = (xml: string, name: string): string | undefined => {
  const [content] = elements(xml, name, 1);
  return content === undefined ? undefined : unescaped(content);
};

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

/** What stands for no character stays as it is. */
const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
