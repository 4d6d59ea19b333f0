import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { certificateSigningRequestStrategy as strategy } from './certificateSigningRequest.ts';

const request = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'r' },
  spec: {
    request: btoa('-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
    ...spec,
  },
  ...rest,
});
const approved = { type: 'Approved', status: 'True' };

test('who asks is who the server saw', () => {
  const context = contextOf({ user: { username: 'jane', uid: '7', groups: ['ops'], extra: { a: ['b'] } } });
  const made = created(
    strategy,
    request({ username: 'root', groups: ['system:masters'] }, { status: { conditions: [approved] } }),
    context,
  );
  expect(made).toMatchObject({
    spec: { username: 'jane', uid: '7', groups: ['ops'], extra: { a: ['b'] } },
    status: {},
  });
  expect(made.status).toEqual({});
});

test.each<[string, object, string[]]>([
  ['a plain request', {}, []],
  [
    'no certificate request',
    { request: btoa('hello') },
    [`spec.request: Invalid value: "${btoa('hello')}": PEM block type must be CERTIFICATE REQUEST`],
  ],
  ['no use', { usages: [] }, ['spec.usages: Required value']],
  ['no signer', { signerName: '' }, ['spec.signerName: Required value']],
  [
    'a signer without path',
    { signerName: 'me' },
    [
      'spec.signerName: Invalid value: "me": must be a fully qualified domain and path of the form "example.com/signer-name"',
    ],
  ],
  [
    'too short a life',
    { expirationSeconds: 60 },
    ['spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 600 seconds (10 minutes)'],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(strategy, request(spec))).toEqual(expected);
});

describe('a decision', () => {
  const approval = contextOf({ subresource: 'approval' });
  const issued = { type: 'Issued', status: 'True' };

  test('is written through /approval, which writes nothing else', () => {
    const old = request({}, { status: { certificate: 'eA==', conditions: [issued] } });
    const sent = request({ usages: ['any'] }, { status: { conditions: [approved] } });
    expect(updated(strategy, sent, old, approval)).toEqual(
      request({}, { status: { certificate: 'eA==', conditions: [approved, issued] } }),
    );
  });

  test('is not written through /status', () => {
    const sent = request({}, { status: { certificate: 'eA==', conditions: [approved] } });
    expect(updated(strategy, sent, request(), contextOf({ subresource: 'status' })).status).toEqual({
      certificate: 'eA==',
      conditions: [],
    });
  });

  test('is one of two, and stays', () => {
    const both = { conditions: [approved, { type: 'Denied', status: 'True' }] };
    expect(problems(strategy, request({}, { status: both }))).toEqual([
      'status.conditions: Invalid value: "Approved": Approved and Denied conditions are mutually exclusive',
    ]);
    expect(changeProblems(strategy, request(), request({}, { status: { conditions: [approved] } }), approval)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });
});
