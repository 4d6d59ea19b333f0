import { badRequest } from '@vireo/api';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import { plainTextResponse } from './plainTextResponse.ts';

const CLAIM = { kind: 'PersistentVolumeClaim', namespace: 'a', name: 'disk' };

it('an error that is meant for the client reaches it as it is', () => {
  const log = memoryLog();
  const refused = Object.assign(new Error('the image does not fit'), { status: 400 });
  expect(plainTextResponse(refused, 'the upload', CLAIM, log)).toEqual({ status: 400, text: 'the image does not fit' });
  expect(plainTextResponse(badRequest('no form'), 'the upload', CLAIM, log)).toMatchObject({ status: 400 });
  expect(log.entries).toEqual([]);
});

it.each([
  ['an error of the file system', Object.assign(new Error("ENOENT: no such file, open '/srv/x'"), { code: 'ENOENT' })],
  ['what a node did not foresee', Object.assign(new Error("EIO: i/o error, read '/srv/x'"), { status: 500 })],
  ['anything else', '/srv/x'],
])('%s goes to the log, and the response says where to look', (_, error) => {
  const log = memoryLog();
  const { status, text } = plainTextResponse(error, 'the download', CLAIM, log);
  expect(status).toBe(500);
  expect(text).toMatch(/^the download failed; .*the server's log/);
  expect(text).not.toContain('/srv');
  expect(log.entries).toEqual([{ level: 'error', message: 'the download failed', about: CLAIM, fields: { error } }]);
});
