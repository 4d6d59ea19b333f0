import { expect, it } from 'vitest';
import { skeletons } from './xml.ts';

const document = (xml: string) => ({ name: xml, xml });

it('is the same whatever the texts say, and another where they became elements', () => {
  const [plain, quoted, injected] = skeletons([
    document('<a b="x"><c>x</c></a>'),
    document('<a b="&lt;d&gt; &quot; &amp;"><c>&lt;/c&gt;&lt;d/&gt;</c></a>'),
    document('<a b="x"><c></c><d/><c>x</c></a>'),
  ]);
  expect(plain).toBe('case\na b\nc\n/c\n/a\n/case');
  expect(quoted).toBe(plain);
  expect(injected).not.toBe(plain);
});

it('is missing for what is not well-formed, also among others', () => {
  expect(skeletons([document('<a>'), document('<a/>')])).toEqual([undefined, 'case\na\n/a\n/case']);
  expect(skeletons([document('<a/></case><case>'), document('<a/>')])[0]).toBeUndefined();
});
