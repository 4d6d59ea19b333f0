import { expect, it } from 'vitest';
import { parseForward, parseTarget } from './forwardArguments.ts';

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
  { text: '80', port: { local: 80, remote: 80 } },
  { text: '8080:80', port: { local: 8080, remote: 80 } },
  { text: 'tcp/0:22', port: { local: 0, remote: 22 } },
])('$text is a port', ({ text, port }) => {
  const before = { local: 1, remote: 2 };
  expect(parseForward(text, [before])).toEqual([before, port]);
});

it.each(['', 'http', '80:', ':80', '65536', '80:65536', '0', 'udp/53'])('"%s" is none', (text) => {
  expect(() => parseForward(text)).toThrow();
});
