import { ApiError } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { memoryLog } from '../testing/memoryLog.ts';
import { jsonLine, type LogEntry, textLine } from './line.ts';
import { aboutSubject, withFields } from './log.ts';

const time = new Date('2026-01-02T03:04:05.678Z');
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', namespace: 'shop', uid: 'u-1' },
};
const entry = (more: Partial<LogEntry>): LogEntry => ({
  time,
  level: 'warn',
  message: 'it went wrong',
  about: undefined,
  fields: {},
  ...more,
});

describe('a line of the log', () => {
  it('is for people', () => {
    const fields = { attempt: 2, why: 'no room', node: 'n-1', error: new ApiError('Conflict', 'not now') };
    expect(textLine(entry({ about: claim, fields }))).toBe(
      '2026-01-02T03:04:05.678Z warn it went wrong kind=PersistentVolumeClaim namespace=shop name=disk uid=u-1 ' +
        'attempt=2 why="no room" node=n-1 error="not now"',
    );
  });

  it('or a JSON object', () => {
    const about = { kind: 'Node', name: 'n-1' };
    expect(JSON.parse(jsonLine(entry({ about, fields: { count: 3n, list: ['a'], none: undefined } })))).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'warn',
      message: 'it went wrong',
      kind: 'Node',
      name: 'n-1',
      count: '3',
      list: ['a'],
    });
  });

  it.each(['a\nb', 'a\r\nb', 'a\u2028b', 'a\u001b[31mb', 'a\u0000b'])('is one line, whatever is said: %j', (part) => {
    const about = { kind: 'Pod', name: part };
    for (const line of [textLine, jsonLine]) {
      const text = line(entry({ message: part, about, fields: { part, error: new Error(part) } }));
      expect(text).not.toMatch(/[\p{Cc}]/u);
      expect(text.split(/\r|\n/)).toHaveLength(1);
    }
  });

  it('has no field that hides what it is about', () => {
    const fields = { name: 'other', level: 'x', message: 'y' };
    expect(JSON.parse(jsonLine(entry({ about: claim, fields })))).toMatchObject({
      name: 'disk',
      level: 'warn',
      message: 'it went wrong',
      field_name: 'other',
      field_level: 'x',
      field_message: 'y',
    });
  });

  it.each([
    ['a password in an address', 'cannot get https://me:hunter22@example.org/a'],
    ['a token in a header', 'refused: authorization: Bearer hunter22.abcdef'],
    ['a signed token', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJodW50ZXIyMiJ9.hunter22'],
    ['a password in settings', 'bad line "password: hunter22"'],
    ['a password in JSON', '{"password":"hunter22","user":"me"}'],
    ['a token in a query', 'GET /a?token=hunter22&b=c'],
    ['a signature in a query', 'https://s3.example.org/a?X-Amz-Signature=hunter22'],
    ['a key', '-----BEGIN RSA PRIVATE KEY-----\nhunter22\n-----END RSA PRIVATE KEY-----'],
    ['half a key', 'x -----BEGIN PRIVATE KEY-----\nhunter22'],
  ])('leaves %s out', (_, secret) => {
    const fields = { secret, nested: { list: [secret] }, error: new Error(secret) };
    for (const line of [textLine, jsonLine]) expect(line(entry({ message: secret, fields }))).not.toContain('hunter22');
  });

  it('leaves other texts as they are', () => {
    const text = 'claim shop/disk of secret web is bound to https://example.org:8443/a@b: tokens are fine';
    expect(textLine(entry({ message: text }))).toContain(text);
  });
});

describe('a log of a part', () => {
  it('adds what it knows, and is about what it was made for where a line names nothing else', () => {
    const log = memoryLog();
    const own = aboutSubject(withFields(log, { component: 'x' }), () => claim);
    own.info('a', undefined, { more: 1 });
    own.warn('b', { kind: 'Node', name: 'n' });
    expect(log.entries).toMatchObject([
      { level: 'info', about: { kind: 'PersistentVolumeClaim', name: 'disk' }, fields: { component: 'x', more: 1 } },
      { level: 'warn', about: { kind: 'Node', name: 'n' }, fields: { component: 'x' } },
    ]);
  });
});
