import { expect, it } from 'vitest';
import { machinesFrom, vmiRow, vmRow } from './machine.ts';
import { matches, parseSearch } from './search.ts';

const [web] = machinesFrom(
  [
    vmRow({
      metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'Front', 'example.com/tier': 'a' } },
      spec: {},
      status: { printableStatus: 'ErrImagePull' },
    }),
  ],
  [
    vmiRow({
      metadata: { name: 'web-1', namespace: 'shop' },
      spec: {},
      status: { nodeName: 'n1', interfaces: [{ ipAddress: '10.1.2.3' }] },
    }),
  ],
);
if (!web) throw new Error('a machine was expected');

it.each([
  ['', true],
  ['web', true],
  ['WEB shop', false],
  ['10.1', true],
  ['front', true],
  ['state:error', true],
  ['state:errimagepull', true],
  ['state:cannot', true],
  ['state:running', false],
  ['-state:running', true],
  ['state:', true],
  ['label:app=front', true],
  ['label:app', true],
  ['label:ap', false],
  ['label:example.com/tier=a', true],
  ['node:n1 web', true],
  ['-node:n1', false],
  ['ns:shop', true],
  ['namespace:other', false],
  ['odd:thing', false],
  ['-', true],
])('"%s" finds it: %s', (text, isFound) => {
  expect(matches(web, parseSearch(text))).toBe(isFound);
});
