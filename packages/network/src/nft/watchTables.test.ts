import { expect, it } from 'vitest';
import { isOwnProcess, rememberProcess } from '../ownProcesses.ts';
import { parseEvent } from './watchTables.ts';

it.each([
  ['add table inet vireo0', { kind: 'change', table: 'inet vireo0', isTable: true }],
  ['delete rule inet vireo0 forward handle 3', { kind: 'change', table: 'inet vireo0', isTable: false }],
  ['add element arp vireo0 taps { "vt0" }', { kind: 'change', table: 'arp vireo0', isTable: false }],
  ['# new generation 53 by process 1234 (nft)', { kind: 'end', pid: 1234 }],
  ['# new generation 53', { kind: 'end', pid: undefined }],
  ['# ERROR: We lost some netlink events!', { kind: 'unknown' }],
])('%s', (line, event) => {
  expect(parseEvent(line)).toEqual(event);
});

it('processes of ours are known, the latest of them', () => {
  const first = 10_000_000;
  for (let pid = first; pid < first + 600; pid++) rememberProcess(pid);
  rememberProcess(undefined);
  expect([first, first + 599, first + 600].map(isOwnProcess)).toEqual([false, true, false]);
});
