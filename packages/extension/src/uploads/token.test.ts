import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UploadTokens } from './token.ts';

const made = (now?: () => number): UploadTokens => {
  const key = randomBytes(32);
  return new UploadTokens(async () => key, now);
};

const GRANT = { namespace: 'shop', name: 'disk' };

describe('a token for uploads', () => {
  it('says for which claim it is', async () => {
    const tokens = made();
    expect(await tokens.verify(await tokens.issue(GRANT))).toEqual(GRANT);
  });

  it('is good for five minutes', async () => {
    let now = 1_000_000;
    const tokens = made(() => now);
    const token = await tokens.issue(GRANT);
    now += 305_000;
    expect(await tokens.verify(token)).toEqual(GRANT);
    now += 10_000;
    expect(await tokens.verify(token)).toBeUndefined();
  });

  it('cannot be made by others, nor changed', async () => {
    const tokens = made();
    const [header, body, signature] = (await tokens.issue(GRANT)).split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, name: 'other' })).toString('base64url');
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    for (const token of [
      await made().issue(GRANT),
      `${header}.${forged}.${signature}`,
      `${unsigned}.${body}.`,
      `${header}.${body}`,
      `${header}.${body}.${signature}.x`,
      'nonsense',
      '',
    ])
      expect(await tokens.verify(token)).toBeUndefined();
  });

  it('is good for every process that has the key, and not before it is found', async () => {
    const key = randomBytes(32);
    let found: Buffer | undefined;
    const tokens = new UploadTokens(async () => found ?? Promise.reject(new Error('no key')));
    const token = await new UploadTokens(async () => key).issue(GRANT);
    await expect(tokens.verify(token)).rejects.toThrow('no key');
    found = key;
    expect(await tokens.verify(token)).toEqual(GRANT);
  });
});
