import { expect, it } from 'vitest';
import type { Vm } from '../data/kinds.ts';
import { machineOf, vmRow } from './machine.ts';
import { sentenceOf } from './why.ts';

const vmWith = (runStrategy: string, printableStatus: string, message?: string): Vm => ({
  metadata: { name: 'web', namespace: 'shop' },
  spec: { runStrategy },
  status: { printableStatus, conditions: message ? [{ type: 'Ready', status: 'False', message }] : [] },
});

it.each([
  [vmWith('Halted', 'Stopped'), 'Stopped: the run strategy is Halted, so it stays off until somebody starts it.'],
  [vmWith('Odd', 'Stopped'), 'Stopped: the run strategy is Odd.'],
  [vmWith('Always', 'Running'), 'Running.'],
  [vmWith('Always', 'ErrorUnschedulable', 'no node has 2 TiB'), 'No node fits: no node has 2 TiB.'],
  [vmWith('Always', 'Starting'), 'Starting.'],
])('%j is explained', (vm, sentence) => {
  expect(sentenceOf(machineOf(vmRow(vm), undefined), vm, undefined, [])).toBe(sentence);
});
