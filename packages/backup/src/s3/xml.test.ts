import { describe, expect, it, test } from 'vitest';
import { parseError, parsePage } from './xml.ts';

const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const nothing = { keys: [], prefixes: [], next: undefined };

test.each<[what: string, xml: string, page: object]>([
  [
    'names as they are',
    `<?xml version="1.0"?><ListBucketResult ${XMLNS}><IsTruncated>true</IsTruncated>
<Contents><Key>a&amp;b&#65;&lt;&#x42;</Key></Contents><CommonPrefixes><Prefix>v1/</Prefix></CommonPrefixes>
<NextContinuationToken>n</NextContinuationToken></ListBucketResult>`,
    { keys: ['a&bA<B'], prefixes: ['v1/'], next: 'n' },
  ],
  [
    'no name for its beginning',
    '<KeyCount>1</KeyCount><Contents x="y"><KeyCount>2</KeyCount><Key>a</Key></Contents>',
    { ...nothing, keys: ['a'] },
  ],
  [
    'a token only where there is another page',
    '<IsTruncated>false</IsTruncated><NextContinuationToken>n</NextContinuationToken>',
    nothing,
  ],
  [
    'what stands for no character as it is',
    '<Contents><Key>&#1114112;&#x110000;&what;</Key></Contents>',
    {
      ...nothing,
      keys: ['&#1114112;&#x110000;&what;'],
    },
  ],
  ['no element that does not end', '<Contents><Key>a</Key></Contents><Contents><Key>b', { ...nothing, keys: ['a'] }],
  ['nothing of what is no XML', 'moved', nothing],
])('reads %s', (_, xml, page) => {
  expect(parsePage(xml)).toEqual(page);
});

describe('what is no XML', () => {
  it.each(['<Contents>', '<Contents ', '<Contents', '</Contents>', '<Contents><Key></Contents>'])(
    'takes no longer than it is long: %s',
    (piece) => {
      const startMs = performance.now();
      parsePage(piece.repeat(100_000));
      expect(performance.now() - startMs).toBeLessThan(2000);
    },
  );
});

it('reads what a server says is wrong', () => {
  expect(parseError('<Error><Code>NoSuchKey</Code><Message>&quot;x&quot;</Message></Error>')).toEqual({
    code: 'NoSuchKey',
    message: '"x"',
  });
  expect(parseError('bad gateway')).toEqual({ code: '', message: '' });
});
