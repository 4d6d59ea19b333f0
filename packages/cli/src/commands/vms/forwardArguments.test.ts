import { expect, it } from 'vitest';
import { meanings, parseForward, parseTarget } from './forwardArguments.ts';

it.each([
  { text: 'vm/web', target: { resource: 'virtualmachines', name: 'web' } },
  { text: 'VMI/web/prod', target: { resource: 'virtualmachineinstances', name: 'web', namespace: 'prod' } },
])('$text names a target', ({ text, target }) => {
  expect(parseTarget(text)).toEqual(target);
});

it.each(['web', 'vm/', '/web', 'pod/web', 'vm/web/', 'vm/web/a/b'])('%s names none', (text) => {
  expect(() => parseTarget(text)).toThrow();
});

it.each([
  { text: 'vmi/web', meant: ['web in -'] },
  { text: 'vmi/web.shop.lab', meant: ['web.shop.lab in -', 'web.shop in lab'] },
  { text: 'vmi/web.shop/lab', meant: ['web.shop in lab'] },
])('$text may mean $meant', ({ text, meant }) => {
  expect(meanings(parseTarget(text)).map(({ name, namespace = '-' }) => `${name} in ${namespace}`)).toEqual(meant);
});

it.each([
  { text: '80', port: { protocol: 'tcp', local: 80, remote: 80 } },
  { text: '8080:80', port: { protocol: 'tcp', local: 8080, remote: 80 } },
  { text: 'tcp/0:22', port: { protocol: 'tcp', local: 0, remote: 22 } },
  { text: 'UDP/53', port: { protocol: 'udp', local: 53, remote: 53 } },
])('$text is a port', ({ text, port }) => {
  const before = { protocol: 'tcp', local: 1, remote: 2 } as const;
  expect(parseForward(text, [before])).toEqual([before, port]);
});

it.each(['', 'http', '80:', ':80', '65536', '80:65536', '0', 'sctp/53'])('"%s" is none', (text) => {
  expect(() => parseForward(text)).toThrow();
});
