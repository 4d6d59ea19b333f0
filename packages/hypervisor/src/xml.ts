/** A tree of XML elements and its writer. Text and attribute values are data: nothing in them is ever markup. */
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
    super(`${where}: ${JSON.stringify(value)} has a character that XML cannot carry`);
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
