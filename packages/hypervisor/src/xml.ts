/** A tree of XML elements, its writer and its reader. Text and attribute values are data: nothing in them is ever markup. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

type AttributeValue = string | number | bigint | undefined;
type Child = XmlElement | string | undefined | false;

/**
 * Makes an element. Attributes without a value and children that are `undefined` or `false` are left out.
 *
 * @example el('disk', { type: 'file' }, el('source', { file: path }), isReadOnly && el('readonly'))
 */
export function el(name: string, attributes: Record<string, AttributeValue> = {}, ...children: Child[]): XmlElement {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    name,
    attributes: Object.fromEntries(present.map(([key, value]) => [key, String(value)])),
    children: children.filter((child) => child !== undefined && child !== false),
  };
}

/** A character that XML 1.0 cannot carry, not even escaped. */
export class XmlCharacterError extends Error {
  readonly value: string;

  constructor(where: string, value: string) {
    super(`${where}: ${JSON.stringify(value)} has a character that XML does not allow`);
    this.name = 'XmlCharacterError';
    this.value = value;
  }
}

/** Everything outside XML 1.0's `Char`: control characters, lone surrogates, U+FFFE and U+FFFF. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** Whether XML 1.0 can carry the text. */
export const isXmlText = (text: string): boolean => !FORBIDDEN.test(text);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // Parsers turn plain line ends and tabs in attributes into spaces.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escapeText(text: string, where: string): string {
  if (!isXmlText(text)) throw new XmlCharacterError(where, text);
  return text.replace(/[&<>"'\t\n\r]/g, (sign) => ENTITIES[sign]!);
}

/** The text of a tree, two spaces of indentation a level. Throws XmlCharacterError. */
export function writeXml(element: XmlElement, indent = ''): string {
  const { name, children } = element;
  const attributes = Object.entries(element.attributes).map(
    ([key, value]) => ` ${key}="${escapeText(value, `<${name} ${key}>`)}"`,
  );
  const head = `${indent}<${name}${attributes.join('')}`;
  if (children.length === 0) return `${head}/>\n`;
  // White space around text would become part of it.
  if (children.some((child) => typeof child === 'string')) return `${head}>${inline(name, children)}</${name}>\n`;
  const body = children.map((child) => writeXml(child as XmlElement, `${indent}  `));
  return `${head}>\n${body.join('')}${indent}</${name}>\n`;
}

const inline = (name: string, children: readonly (XmlElement | string)[]): string =>
  children
    .map((child) => (typeof child === 'string' ? escapeText(child, `<${name}>`) : writeXml(child).trimEnd()))
    .join('');

/** A comment or declaration, a closing tag, an opening tag with its attributes, or text. */
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<\/([^\s>]+)\s*>|<([^\s/>!?]+)((?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads a document as libvirt writes it: without document types and CDATA. White space between elements is dropped.
 * Throws where the text is no such document.
 */
export function parseXml(text: string): XmlElement {
  const document = { name: '', attributes: {}, children: [] as (XmlElement | string)[] };
  const open = [document];
  const token = new RegExp(TOKEN);
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw new Error(`this is not valid XML: ${JSON.stringify(text.slice(at, at + 40))}`);
    const [, closed, name, attributes = '', slash, plain] = found;
    const parent = open.at(-1)!;
    if (name !== undefined) {
      const element = { name, attributes: parseAttributes(attributes), children: [] };
      parent.children.push(element);
      if (!slash) open.push(element);
    } else if (closed !== undefined) {
      if (parent.name !== closed) throw new Error(`this is not valid XML: </${closed}> ends <${parent.name}>`);
      open.pop();
    } else if (plain?.trim()) parent.children.push(unescapeText(plain));
  }
  const [root] = document.children;
  if (open.length > 1 || typeof root !== 'object' || document.children.length > 1)
    throw new Error('this is not valid XML: it is not one element');
  return root;
}

const parseAttributes = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, key, a, b]) => [key, unescapeText(a ?? b ?? '')]));

const SIGNS = new Map(Object.entries(ENTITIES).map(([sign, entity]) => [entity, sign]));

const unescapeText = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|\w+);/gi, (entity, decimal, hex) =>
    decimal || hex
      ? String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
      : (SIGNS.get(entity) ?? entity),
  );

/**
 * The elements at a path below one.
 *
 * @example select(domain, 'devices/disk')
 */
export const select = (element: XmlElement, path: string): XmlElement[] =>
  path
    .split('/')
    .reduce((found, name) => found.flatMap((each) => elementsIn(each).filter((one) => one.name === name)), [element]);

/** All elements below one, at any depth. */
export const descendants = (element: XmlElement): XmlElement[] =>
  elementsIn(element).flatMap((each) => [each, ...descendants(each)]);

/** The text of an element that has nothing else in it. */
export const textOf = ({ children }: XmlElement): string =>
  children.filter((child) => typeof child === 'string').join('');

const elementsIn = ({ children }: XmlElement): XmlElement[] => children.filter((child) => typeof child === 'object');
