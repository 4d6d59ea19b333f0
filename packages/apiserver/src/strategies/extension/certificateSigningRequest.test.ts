import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { certificateRequest, pemOf } from '../../testing/certificateRequests.ts';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { certificateSigningRequestStrategy as strategy } from './certificateSigningRequest.ts';

const { request: pem } = certificateRequest({ commonName: 'jane' });
const request = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'r' },
  spec: { request: pem, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...spec },
  ...rest,
});
const approved = { type: 'Approved', status: 'True' };
const anotherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

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

const notRequest = pemOf('CERTIFICATE', 'eA==');
const cutOff = pemOf('CERTIFICATE REQUEST', Buffer.from([0x30, 0x82, 0x01]).toString('base64'));
const forged = certificateRequest({}, undefined, anotherKey).request;

// It would take hours if it were looked for in the wrong way.
const endless = btoa(`-----BEGIN CERTIFICATE REQUEST-----${' '.repeat(1_000_000)}`);

test.each<[string, object, string[]]>([
  ['a plain request', {}, []],
  [
    'a beginning without an end',
    { request: endless },
    [`spec.request: Invalid value: "${endless}": PEM block type must be CERTIFICATE REQUEST`],
  ],
  [
    'no certificate request',
    { request: notRequest },
    [`spec.request: Invalid value: "${notRequest}": PEM block type must be CERTIFICATE REQUEST`],
  ],
  [
    'a request that is cut off',
    { request: cutOff },
    [`spec.request: Invalid value: "${cutOff}": asn1: syntax error: data truncated`],
  ],
  [
    'a request that another key signed',
    { request: forged },
    [`spec.request: Invalid value: "${forged}": x509: ECDSA verification failure`],
  ],
  ['no use', { usages: [] }, ['spec.usages: Required value']],
  [
    'the same use twice',
    { usages: ['client auth', 'client auth'] },
    ['spec.usages[1]: Duplicate value: "client auth"'],
  ],
  ['no signer', { signerName: '' }, ['spec.signerName: Required value']],
  [
    'a signer without path',
    { signerName: 'me' },
    [
      `spec.signerName: Invalid value: "me": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
  ],
  [
    'a signer whose domain is one word',
    { signerName: 'me/signer' },
    ['spec.signerName: Invalid value: "me": should be a domain with at least two segments separated by dots'],
  ],
  [
    'the signer of earlier versions',
    { signerName: 'kubernetes.io/legacy-unknown' },
    [
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
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

test('a use that nobody knows is refused', () => {
  expect(problems(strategy, request({ usages: ['flying'] }))[0]).toMatch(
    /^spec.usages\[0\]: Unsupported value: "flying": supported values: "any", "cert sign", /,
  );
});

describe('a decision', () => {
  const approval = contextOf({ subresource: 'approval' });
  const status = contextOf({ subresource: 'status' });

  test('is written through /approval with its times, which writes nothing else', () => {
    const old = request({}, { status: { certificate: 'eA==' } });
    const sent = request({ usages: ['any'] }, { status: { conditions: [approved] } });
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(updated(strategy, sent, old, approval)).toEqual(
      request(
        {},
        {
          status: {
            certificate: 'eA==',
            conditions: [{ ...approved, lastUpdateTime: time, lastTransitionTime: time }],
          },
        },
      ),
    );
  });

  test('is not written through /status', () => {
    const sent = request({}, { status: { certificate: 'eA==', conditions: [approved] } });
    expect(updated(strategy, sent, request(), status).status).toEqual({ certificate: 'eA==', conditions: [] });
  });

  test('is one of two, and stays', () => {
    const both = { conditions: [approved, { type: 'Denied', status: 'True' }] };
    expect(problems(strategy, request({}, { status: both }))).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
    expect(changeProblems(strategy, request(), request({}, { status: { conditions: [approved] } }), approval)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });

  test.each<[string, string, string]>([
    [
      'something else',
      pemOf('CERTIFICATE REQUEST', 'eA=='),
      'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
    ['nothing at all', btoa('hello'), 'must contain at least one CERTIFICATE PEM block'],
    ['beginnings', btoa('-----BEGIN X-----\n'.repeat(100_000)), 'must contain at least one CERTIFICATE PEM block'],
    ['nonsense', pemOf('CERTIFICATE', 'eA=='), 'x509: malformed certificate'],
  ])('is followed by a certificate, not by %s', (_, certificate, detail) => {
    expect(problems(strategy, request({}, { status: { certificate } }))).toEqual([
      `status.certificate: Invalid value: "<certificate data>": ${detail}`,
    ]);
  });

  test('leads to one certificate, which stays', () => {
    const old = request({}, { status: { certificate: 'eA==' } });
    expect(changeProblems(strategy, request({}, { status: { certificate: 'eQ==' } }), old, status)).toEqual([
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ]);
  });
});
