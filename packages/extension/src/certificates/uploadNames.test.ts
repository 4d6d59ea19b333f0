import { expect, it } from 'vitest';
import { hostsOf } from './uploadNames.ts';

it.each([
  [undefined, undefined, []],
  ['https://uploads.example:8443', undefined, ['uploads.example']],
  ['uploads.example:8443', undefined, ['uploads.example']],
  ['https://10.0.0.7:31443/', undefined, ['10.0.0.7']],
  ['https://[fd00::7]:8443', undefined, ['fd00::7']],
  ['https://reported.example', 'https://override.example', ['override.example']],
  ['https://no_name', undefined, []],
  ['https://', undefined, []],
])('an upload proxy at %s, or %s as its user says, is called %j', (uploadProxyURL, uploadProxyURLOverride, hosts) => {
  const spec = uploadProxyURLOverride === undefined ? {} : { uploadProxyURLOverride };
  expect(hostsOf({ spec, status: { ...(uploadProxyURL !== undefined && { uploadProxyURL }) } })).toEqual(hosts);
});

it('there is none without settings', () => expect(hostsOf(undefined)).toEqual([]));
