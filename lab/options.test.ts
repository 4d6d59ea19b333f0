import { expect, it } from 'vitest';
import { DEFAULT_TESTS, parseOptions } from './options.ts';

const MINUTE = 60_000;

it.each([
  [[], { isShell: false, timeoutMs: 45 * MINUTE, vitestArgs: DEFAULT_TESTS }],
  [['--rebuild'], { isShell: false, timeoutMs: 45 * MINUTE, vitestArgs: DEFAULT_TESTS }],
  [['--timeout', '5', 'e2e'], { isShell: false, timeoutMs: 5 * MINUTE, vitestArgs: ['e2e'] }],
  [['a', '--timeout=0.5', 'b'], { isShell: false, timeoutMs: MINUTE / 2, vitestArgs: ['a', 'b'] }],
  [['--bail=1'], { isShell: false, timeoutMs: 45 * MINUTE, vitestArgs: [...DEFAULT_TESTS, '--bail=1'] }],
  [['e2e', '--testNamePattern=web'], { timeoutMs: 45 * MINUTE, vitestArgs: ['e2e', '--testNamePattern=web'] }],
  [['--kvm', 'e2e'], { isKvm: true, vitestArgs: ['e2e'] }],
  [['--shell'], { isShell: true, timeoutMs: undefined }],
  [['--help', 'e2e'], undefined],
  [['--timeout', 'soon'], '--timeout soon is not a number of minutes above 0'],
  [['--timeout', '0'], '--timeout 0 is not a number of minutes above 0'],
  [['--shell', 'e2e'], '--shell runs no tests: leave out e2e'],
])('npm run lab -- %j', (args, expected) => {
  const options = parseOptions(args);
  if (typeof expected === 'object') expect(options).toMatchObject(expected);
  else expect(options).toBe(expected);
});
