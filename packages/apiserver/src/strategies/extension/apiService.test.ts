import { expect, test } from 'vitest';
import { created, problems } from '../../testing/strategies.ts';
import { apiServiceStrategy } from './apiService.ts';

const apiService = (spec: object = {}) => ({
  metadata: { name: 'v1.example.com', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: 'a', name: 'b' },
    ...spec,
  },
});

test.each<[string, object, string[]]>([
  ['a plain one', {}, []],
  [
    'a name that is not made of version and group',
    { version: 'v2' },
    ['metadata.name: Invalid value: "v1.example.com": must be `spec.version+"."+spec.group`: "v2.example.com"'],
  ],
  [
    'priorities out of range',
    { groupPriorityMinimum: 20_001, versionPriority: 0 },
    [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  ['half a service', { service: { name: 'b' } }, ['spec.service.namespace: Required value']],
  [
    'trust and mistrust',
    { insecureSkipTLSVerify: true, caBundle: 'eA==' },
    ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  ],
  [
    'mistrust of oneself',
    { service: undefined, insecureSkipTLSVerify: true },
    ['spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(apiServiceStrategy, apiService(spec))).toEqual(expected);
});

test('what the server serves itself is available from the beginning', () => {
  expect(created(apiServiceStrategy, apiService({ service: undefined })).status).toEqual({
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'Local',
        message: 'Local APIServices are always available',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  });
  expect(created(apiServiceStrategy, apiService()).status).toEqual({});
});
