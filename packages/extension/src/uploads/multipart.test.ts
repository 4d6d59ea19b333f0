import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formFile } from './multipart.ts';

const TYPE = 'multipart/form-data; boundary=XX';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileIn = async (body: string | Buffer, size = 7, type: string | undefined = TYPE): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of formFile(type, pieces(Buffer.from(body), size))) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const part = (name: string, content: string): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`;

describe('a multipart form', () => {
  it('gives the content of its file, whatever else is in it', async () => {
    const body = `preamble\r\n${part('other', 'no')}${part('file', 'yes\r\n--X no mark')}${part('last', 'no')}--XX--\r\n`;
    expect((await fileIn(body)).toString()).toBe('yes\r\n--X no mark');
    expect((await fileIn(body, 7, 'multipart/form-data; charset=utf-8; boundary="XX"')).toString()).toContain('yes');
  });

  it('gives the same in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (content, size) => {
        fc.pre(!Buffer.from(content).includes('\r\n--XX'));
        const [head, tail] = part('file', '|').split('|') as [string, string];
        const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`${tail}--XX--\r\n`)]);
        expect((await fileIn(body, size)).equals(content)).toBe(true);
      }),
    );
  });

  it.each([
    ['without a file', `${part('other', 'x')}--XX--\r\n`, TYPE, /no part named "file"/],
    ['that breaks off', part('file', 'x').slice(0, -2), TYPE, /the form is truncated/],
    ['that breaks off in a head', '--XX\r\nContent-Dis', TYPE, /truncated in the headers/],
    ['that is none', 'x', 'text/plain', /the body is not a form/],
  ])('%s is refused', async (_, body, type, message) => {
    await expect(fileIn(body, 7, type)).rejects.toThrow(message);
  });
});
