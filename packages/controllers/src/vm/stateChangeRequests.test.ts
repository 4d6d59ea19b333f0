import type { VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { pendingRequests, withStartRequest } from './stateChangeRequests.ts';

type Requests = NonNullable<VmStatus['stateChangeRequests']>;
const start: Requests = [{ action: 'Start' }];
const stop: Requests = [{ action: 'Stop', uid: 'vmi-uid' }];

it.each<[string, Requests | undefined, Vmi | undefined, Requests | undefined]>([
  ['no requests', undefined, vmiWith(), undefined],
  ['a stop of what lives is pending', stop, vmiWith({ phase: 'Running' }), stop],
  ['a stop of what is gone is done', stop, undefined, []],
  ['a stop of another VMI is done', stop, vmiWith({}, { uid: 'other' }), []],
  ['a start without a VMI is pending', start, undefined, start],
  ['a start while the old VMI has ended is pending', start, vmiWith({ phase: 'Failed' }), start],
  ['a start with a living VMI is done', start, vmiWith({ phase: 'Pending' }), []],
  ['after the stop of a restart comes its start', [...stop, ...start], undefined, start],
  ['only the first is looked at', [...start, ...stop], undefined, [...start, ...stop]],
])('%s', (_, requests, vmi, expected) => {
  expect(pendingRequests(requests, vmi)).toEqual(expected);
});

it('a start is requested once', () => {
  expect(withStartRequest(undefined)).toEqual(start);
  expect(withStartRequest(start)).toEqual(start);
});
