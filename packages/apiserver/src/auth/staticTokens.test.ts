import { expect, it } from 'vitest';
import { parseStaticTokens } from './staticTokens.ts';

it('reads token, user, uid and groups', () => {
  const text = ['# tokens', '', 't1,ada', 't2,bob,42', 't3,"carol, the first",43,"dev,ops"', 't4,dan,,dev\r'].join(
    '\n',
  );
  expect(parseStaticTokens(text)).toEqual([
    { token: 't1', user: { username: 'ada', groups: ['system:authenticated'] } },
    { token: 't2', user: { username: 'bob', uid: '42', groups: ['system:authenticated'] } },
    { token: 't3', user: { username: 'carol, the first', uid: '43', groups: ['dev', 'ops', 'system:authenticated'] } },
    { token: 't4', user: { username: 'dan', groups: ['dev', 'system:authenticated'] } },
  ]);
});

it('says which line it cannot read', () => {
  expect(() => parseStaticTokens('t1,ada\nonly-a-token', 'tokens.csv')).toThrow('tokens.csv, line 2');
  expect(() => parseStaticTokens(',ada')).toThrow('line 1');
});
