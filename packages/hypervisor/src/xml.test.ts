import { describe, expect, it } from 'vitest';
import { el, isXmlText, writeXml } from './xml.ts';

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
    expect(() => writeXml(el('a', {}, sign))).toThrow('has a character that XML cannot carry');
    expect(() => writeXml(el('a', { b: sign }))).toThrow('<a b>');
  });

  it.each(['\t\r\n', '\u0085', 'äöü', '😀', '\u{10ffff}'])('carries %j', (text) => {
    expect(isXmlText(text)).toBe(true);
  });
});
