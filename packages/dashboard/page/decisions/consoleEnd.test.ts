import { expect, it } from 'vitest';
import { consoleEnd } from './consoleEnd.ts';

it.each([
  [1000, 'taken over by eve\u001b[31m', true, false, 'taken over by eve'],
  [4403, 'no', true, false, 'not allowed'],
  [4400, 'VMI is not running', false, true, 'not running'],
  [4409, 'in use', true, true, 'in use'],
  [1006, '', true, true, 'lost'],
  [1006, '', false, true, 'connects when it runs'],
])('%i "%s", running: %s', (code, reason, isRunning, isRetried, text) => {
  const end = consoleEnd(code, reason, isRunning);
  expect(end.isRetried).toBe(isRetried);
  expect(end.text).toContain(text);
  expect(end.text).not.toMatch(/\p{Cc}/u);
});
