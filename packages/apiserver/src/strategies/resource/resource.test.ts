import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './claims.ts';
import { deviceClassStrategy, resourceSliceStrategy } from './devices.ts';

const metadata = { name: 'x' };
const wanted = { deviceClassName: 'gpus', allocationMode: 'ExactCount', count: 1 };
const claim = (...requests: object[]) => ({ devices: { requests } });
const AT = 'spec.devices.requests[0]';

test.each<[string, object, string[]]>([
  ['one device', claim({ name: 'gpu', exactly: wanted }), []],
  [
    'the first of two',
    claim({
      name: 'gpu',
      firstAvailable: [
        { name: 'a', ...wanted },
        { name: 'b', ...wanted },
      ],
    }),
    [],
  ],
  [
    'a request for nothing',
    claim({ name: 'gpu' }),
    [`${AT}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
  ],
  [
    'two ways at once',
    claim({ name: 'gpu', exactly: wanted, firstAvailable: [{ name: 'a', ...wanted }] }),
    [
      `${AT}: Invalid value: null: exactly one of \`exactly\` or \`firstAvailable\` is required, but multiple fields are set`,
    ],
  ],
  [
    'the same name twice',
    claim({ name: 'gpu', exactly: wanted }, { name: 'gpu', exactly: wanted }),
    ['spec.devices.requests[1].name: Duplicate value: "gpu"'],
  ],
  [
    'no class, and none of them',
    claim({ name: 'gpu', exactly: { allocationMode: 'ExactCount', count: 0 } }),
    [
      `${AT}.exactly.deviceClassName: Required value`,
      `${AT}.exactly.count: Invalid value: 0: must be greater than zero`,
    ],
  ],
  [
    'settings for a request that is not there',
    {
      devices: {
        ...claim({ name: 'gpu', exactly: wanted }).devices,
        config: [{ requests: ['tpu'], opaque: { driver: 'd', parameters: {} } }],
      },
    },
    [
      'spec.devices.config[0].requests[0]: Invalid value: "tpu": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    ],
  ],
])('a claim: %s', (_, spec, expected) => {
  expect(problems(resourceClaimStrategy, { metadata, spec })).toEqual(expected);
  const nested = expected.map((text) => text.replace('spec.', 'spec.spec.'));
  expect(problems(resourceClaimTemplateStrategy, { metadata, spec: { spec } })).toEqual(nested);
});

test('what a claim asks for stays', () => {
  const [one, two] = [1, 2].map((count) => ({ metadata, spec: claim({ name: 'gpu', exactly: { ...wanted, count } }) }));
  expect(changeProblems(resourceClaimStrategy, one as object, two as object)).toEqual([
    expect.stringMatching(/^spec: Invalid value: .*: field is immutable$/),
  ]);
});

test.each<[object, string[]]>([
  [{ selectors: [{ cel: { expression: 'true' } }], config: [{ opaque: { driver: 'd', parameters: {} } }] }, []],
  [{ selectors: [{}] }, ['spec.selectors[0].cel: Required value']],
  [{ config: [{}] }, ['spec.config[0].opaque: Required value']],
])('a class with %j', (spec, expected) => {
  expect(problems(deviceClassStrategy, { metadata, spec })).toEqual(expected);
});

const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };

test.each<[string, object, string[]]>([
  ['of a node', { driver: 'd', pool, nodeName: 'n', devices: [{ name: 'a', attributes: { x: { int: 1 } } }] }, []],
  [
    'from nowhere',
    { driver: 'd', pool },
    [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  ],
  [
    'with odd devices',
    {
      driver: 'd',
      pool,
      allNodes: true,
      devices: [
        { name: 'a', attributes: { x: {} } },
        { name: 'a', taints: [{ key: 'k', effect: 'Boom' }] },
      ],
    },
    [
      'spec.devices[0].attributes[x]: Required value: exactly one value must be specified',
      'spec.devices[1].taints[0].effect: Unsupported value: "Boom": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices[1].name: Duplicate value: "a"',
    ],
  ],
])('a slice: %s', (_, spec, expected) => {
  expect(problems(resourceSliceStrategy, { metadata, spec })).toEqual(expected);
});
