import { textLine } from '@vireo/kube/log/line.ts';
import { expect, it } from 'vitest';
import { innerErrors } from './innerErrors.ts';

it('finds what the server logs when something of its own failed, and nothing else', () => {
  const line = (level: 'warn' | 'error'): string =>
    textLine({ time: new Date(0), level, message: 'a request failed', about: undefined, fields: {} });
  expect(innerErrors(`Listening … 6 ms\n${line('error')}\n`)).toContain('a request failed');
  expect(innerErrors(`Listening … 6 ms\n${line('warn')}\nno error here\n`)).toBeUndefined();
});
