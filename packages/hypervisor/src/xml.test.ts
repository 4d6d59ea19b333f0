import { describe, expect, it } from 'vitest';
import { descendants, el, isXmlText, parseXml, select, textOf, writeXml } from './xml.ts';

describe('the XML writer', () => {
  it('leaves out what is not there', () => {
    expect(writeXml(el('a', { b: undefined, c: 1, d: '' }, undefined, false, el('e')))).toBe(
      '<a c="1" d="">\n  <e/>\n</a>\n',
    );
  });

  it('escapes text and attributes', () => {
    expect(writeXml(el('a', { b: `<>&"'\n\t` }, `</a>&amp;`))).toBe(
      '<a b="&lt;&gt;&amp;&quot;&apos;&#10;&#9;">&lt;/a&gt;&amp;amp;</a>\n',
    );
  });

  it('keeps text as it is, without white space around it', () => {
    expect(writeXml(el('a', {}, el('b', {}, ' x ')))).toBe('<a>\n  <b> x </b>\n</a>\n');
  });

  it.each(['\u0000', '\u0008', '\u001f', '\ud800', '\udfff', '\ufffe', '\uffff'])('refuses %j', (sign) => {
    expect(isXmlText(sign)).toBe(false);
    expect(() => writeXml(el('a', {}, sign))).toThrow('has a character that XML does not allow');
    expect(() => writeXml(el('a', { b: sign }))).toThrow('<a b>');
  });

  it.each(['\t\r\n', '\u0085', 'äöü', '😀', '\u{10ffff}'])('carries %j', (text) => {
    expect(isXmlText(text)).toBe(true);
  });
});

describe('the XML reader', () => {
  it('reads what the writer writes', () => {
    const tree = el('a', { b: `<>&"'\n\t`, c: '' }, el('d', {}, ' x & y '), el('e'));
    expect(parseXml(writeXml(tree))).toEqual(tree);
  });

  it('reads declarations, comments, both kinds of quotes and numbered characters', () => {
    expect(
      parseXml(`<?xml version='1.0'?>\n<!-- <b> -->\n<a x='"' y = "'" >\n<!-- - --><b/>&#38;&#x3c;&none;</a>\n`),
    ).toEqual(el('a', { x: '"', y: "'" }, el('b'), '&<&none;'));
  });

  it.each(['', 'text', '<a>', '<a></b>', '</a>', '<a/><b/>', '<a b=c/>', '<a b="<a/>', '<!DOCTYPE a><a/>'])(
    'refuses %j',
    (text) => {
      expect(() => parseXml(text)).toThrow('this is not valid XML');
    },
  );

  it('finds elements by their path, and all below one', () => {
    const tree = parseXml('<a><b><c i="1"/>t</b><c i="2"/><b><c i="3"><c i="4"/></c></b></a>');
    const numbers = (found: readonly { attributes: Readonly<Record<string, string>> }[]) =>
      found.flatMap(({ attributes }) => attributes.i ?? []);
    expect(numbers(select(tree, 'b/c'))).toEqual(['1', '3']);
    expect(numbers(descendants(tree))).toEqual(['1', '2', '3', '4']);
    expect(select(tree, 'b').map(textOf)).toEqual(['t', '']);
  });
});
