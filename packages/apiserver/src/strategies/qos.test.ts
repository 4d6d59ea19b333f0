import { expect, test } from 'vitest';
import { qosClassOf } from './qos.ts';

const both = { cpu: '1', memory: '1Gi' };

test.each<[string, object[], object[], string]>([
  ['nobody asks for anything', [{}], [], 'BestEffort'],
  ['only a device is asked for', [{ limits: { 'nvidia.com/gpu': 1 } }], [], 'BestEffort'],
  ['a request of nothing', [{ requests: { cpu: '0' } }], [], 'BestEffort'],
  ['requests equal limits', [{ requests: { cpu: '1000m', memory: '1024Mi' }, limits: both }], [], 'Guaranteed'],
  ['limits alone, which are requests too', [{ limits: both }], [], 'Guaranteed'],
  ['a request below its limit', [{ requests: { cpu: '500m', memory: '1Gi' }, limits: both }], [], 'Burstable'],
  ['one of the two missing', [{ limits: { cpu: '1' } }], [], 'Burstable'],
  ['one container of two', [{ limits: both }, {}], [], 'Burstable'],
  ['an init container without limits', [{ limits: both }], [{}], 'Burstable'],
])('%s', (_, containers, initContainers, expected) => {
  const named = (resources: object[]) => resources.map((each) => ({ name: 'x', resources: each }));
  expect(qosClassOf({ containers: named(containers), initContainers: named(initContainers) })).toBe(expected);
});
