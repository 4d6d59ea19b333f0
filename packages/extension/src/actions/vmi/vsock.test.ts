import { expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { type VmiParts, vmiWith } from '../../testing/vms.ts';
import { vsock } from './vsock.ts';

const attached: VmiParts = { spec: { domain: { devices: { autoattachVSOCK: true } } } };
const to = (path: string) => ({ type: 'stream', path, sharing: 'parallel' });
const noPort = (port: string) => `400 port ${JSON.stringify(port)} is not a number from 1 to 4294967294`;

it.each<[query: string, vmi: VmiParts, expected: unknown]>([
  ['port=1024', attached, to('vsock/1024/plain')],
  ['port=1024&tls=false', attached, to('vsock/1024/plain')],
  ['port=4294967294&tls=true', attached, to('vsock/4294967294/tls')],
  ['port=1024', {}, "400 VM doesn't have VSOCK enabled"],
  ['port=1024', { ...attached, phase: 'Scheduled' }, '400 VMI is not running'],
  ['', attached, noPort('')],
  ['port=0', attached, noPort('0')],
  ['port=4294967295', attached, noPort('4294967295')],
  ['port=ssh', attached, noPort('ssh')],
  ['port=1024&tls=yes', attached, '400 tls "yes" is neither true nor false'],
])('vsock?%s of a VMI with %j', (query, parts, expected) => {
  expect(outcome(vsock as Parameters<typeof outcome>[0], { vmi: vmiWith(parts) }, { query })).toEqual(expected);
});
