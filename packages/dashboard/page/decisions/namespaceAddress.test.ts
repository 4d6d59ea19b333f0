import { expect, it } from 'vitest';
import { keepNamespace, namespaceIn, withNamespace } from './namespaceAddress.ts';

it.each([
  ['?ns=shop', 'shop'],
  ['?q=web&ns=shop', 'shop'],
  ['', undefined],
  ['?ns=', undefined],
  ['?ns=../../secrets', undefined],
  ['?ns=Shop', undefined],
])('the address with %s is about namespace %s', (search, namespace) => {
  expect(namespaceIn(search)).toBe(namespace);
});

it.each([
  ['/dashboard/', 'shop', '/dashboard/?ns=shop'],
  ['/dashboard/?q=a+b&ns=old&sort=-age', 'shop', '/dashboard/?q=a+b&sort=-age&ns=shop'],
  ['/dashboard/?ns=old', undefined, '/dashboard/'],
  ['/dashboard/consoles?open=serial/a/b,screen/a/b', 'a', '/dashboard/consoles?open=serial/a/b,screen/a/b&ns=a'],
])('%s becomes one of %s: %s', (address, namespace, expected) => {
  expect(withNamespace(address, namespace)).toBe(expected);
});

it.each([
  ['/dashboard/nodes', '?ns=shop', '/dashboard/nodes?ns=shop'],
  ['/dashboard/?q=web', '?ns=shop', '/dashboard/?q=web&ns=shop'],
  ['/dashboard/?ns=other', '?ns=shop', '/dashboard/?ns=other'],
  ['/dashboard/nodes', '?q=x', '/dashboard/nodes'],
])('a link to %s on a page with %s leads to %s', (to, search, expected) => {
  expect(keepNamespace(to, search)).toBe(expected);
});
