import { expect, it } from 'vitest';
import { notInstalled } from './debianPackages.mjs';
import { npmFailure } from './npm.mjs';

it.each([
  ['npm error code EAI_AGAIN', 'registry cannot be reached', 'network'],
  ['npm error code ENOTFOUND', 'registry cannot be reached', 'proxy'],
  ['npm error ENOSPC: no space left on device, write', 'disk is full', 'df -h'],
  ['npm error code EACCES\nnpm error syscall mkdir', 'cannot write a file', 'chown'],
])('%s is explained', (output, cause, hint) => {
  const failure = npmFailure(['install'], output);
  expect(failure.message).toContain(cause);
  expect(failure.message).toContain(output);
  expect(failure.hint).toContain(hint);
});

it('an error of npm that nobody foresaw is shown as it is', () => {
  expect(npmFailure(['install'], 'npm error EWEIRD').message).toContain('EWEIRD');
});

it('packages that were removed but left their configuration count as missing', () => {
  const report = 'bash installed\nhello config-files\n';
  expect(notInstalled(['bash', 'hello', 'unheard-of'], report)).toEqual(['hello', 'unheard-of']);
});
