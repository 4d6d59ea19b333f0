import { describe, expect, it } from 'vitest';
import { UploadTokens } from './token.ts';

const GRANT = { namespace: 'shop', name: 'disk' };

describe('a token for uploads', () => {
  it('says for which claim it is', () => {
    const tokens = new UploadTokens();
    expect(tokens.verify(tokens.issue(GRANT))).toEqual(GRANT);
  });

  it('is good for five minutes', () => {
    let now = 1_000_000;
    const tokens = new UploadTokens(() => now);
    const token = tokens.issue(GRANT);
    now += 305_000;
    expect(tokens.verify(token)).toEqual(GRANT);
    now += 10_000;
    expect(tokens.verify(token)).toBeUndefined();
  });

  it('cannot be made by others, nor changed', () => {
    const tokens = new UploadTokens();
    const [header, body, signature] = tokens.issue(GRANT).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, name: 'other' })).toString('base64url');
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    for (const token of [
      new UploadTokens().issue(GRANT),
      `${header}.${forged}.${signature}`,
      `${unsigned}.${body}.`,
      `${header}.${body}`,
      `${header}.${body}.${signature}.x`,
      'nonsense',
      '',
    ])
      expect(tokens.verify(token)).toBeUndefined();
  });
});
