import type { CertificateSigningRequest } from '@vireo/api';
import {
  CLIENT_SIGNER,
  CLIENT_USAGES,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
} from '@vireo/kube';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';
import { describe, expect, it } from 'vitest';
import { decide, type Surroundings } from './decide.ts';

const parsed = (commonName: string, organizations: string[], more: Partial<ParsedRequest> = {}): ParsedRequest => ({
  commonName,
  organizations,
  otherNames: [],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
  publicKey: Buffer.alloc(0),
  ...more,
});

type Spec = Omit<CertificateSigningRequest['spec'], 'request' | 'signerName' | 'usages'>;
const spec = (signerName: string, usages: readonly string[], who: Spec) => ({
  request: '',
  signerName,
  usages: [...usages],
  ...who,
});

const token = { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers:vireo:nodes'] };
const kubeadmToken = { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] };
const pretender = { username: 'system:serviceaccount:a:b', groups: token.groups };
const kubelet = { username: 'system:node:a', groups: ['system:nodes'] };
const node = { username: 'vireo:node:a', groups: ['vireo:nodes'] };
const jane = { username: 'jane', groups: ['system:authenticated'] };
const extension = { username: 'system:serviceaccount:kubevirt:kubevirt-apiserver' };

const nodeA = parsed('vireo:node:a', ['vireo:nodes']);
const kubeletA = parsed('system:node:a', ['system:nodes']);
const servingA = (more: Partial<ParsedRequest>) => parsed('system:node:a', ['system:nodes'], more);

const NODE = {
  status: {
    nodeInfo: { kubeletVersion: 'v1.36.0+vireo' },
    addresses: [
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: 'fd00::1' },
      { type: 'Hostname', address: 'a.example' },
    ],
  },
} as unknown as NonNullable<Surroundings['node']>;
const FOREIGN = { status: { ...NODE.status, nodeInfo: { kubeletVersion: 'v1.36.0' } } } as typeof NODE;

type Outcome = 'approved' | 'left alone' | 'waits' | RegExp;

describe('the client certificates of a node', () => {
  it.each<[string, Spec, ParsedRequest, Partial<Surroundings>, Outcome]>([
    ['a token asks for a free name', token, nodeA, {}, 'approved'],
    ['a token asks for the name of another node', token, nodeA, { node: NODE }, /--node a/],
    ['a token for the node asks for its name', token, nodeA, { node: NODE, tokenNode: 'a' }, 'approved'],
    ['a token for another node asks', token, nodeA, { tokenNode: 'b' }, /for node b, not for a/],
    ['its token is gone', token, nodeA, { isTokenGone: true }, /no longer exists/],
    ['another token was given the name', token, nodeA, { otherRequester: 'system:bootstrap:other' }, /another host/],
    ['the node renews its certificate', node, nodeA, { node: NODE }, 'approved'],
    ['a kubelet of that name asks', kubelet, nodeA, { node: NODE }, 'left alone'],
    ['another node asks', { ...node, username: 'vireo:node:b' }, nodeA, {}, 'left alone'],
    ['another kubelet asks', { ...kubelet, username: 'system:node:b' }, nodeA, {}, 'left alone'],
    ['a user of that name without the group asks', { ...node, groups: [] }, nodeA, {}, 'left alone'],
    ['a token of another group asks', kubeadmToken, nodeA, {}, 'left alone'],
    ['an account with the group of tokens asks', pretender, nodeA, {}, 'left alone'],
    ['a user asks', jane, nodeA, {}, 'left alone'],
    ['a token asks for further groups', token, parsed('vireo:node:a', ['vireo:nodes', 'x']), {}, /organization/],
    ['a token asks for no group', token, parsed('vireo:node:a', []), {}, /organization/],
    ['a token asks for a name to serve', token, { ...nodeA, dnsNames: ['a'] }, {}, /subjectAltNames/],
    ['a token asks for a unit', token, { ...nodeA, otherNames: [['2.5.4.11', 'x']] }, {}, /more than a name/],
    ['a token asks for no name of a node', token, parsed('vireo:node:A/b', ['vireo:nodes']), {}, /not a name/],
    ['a token asks to be an administrator', token, parsed('admin', ['vireo:nodes']), {}, 'left alone'],
  ])('%s', (_, who, request, around, expected) => {
    const decision = decide(spec(CLIENT_SIGNER, CLIENT_USAGES, who), request, { node: undefined, ...around });
    expectOutcome(decision, expected);
  });

  it.each<[string, Spec, ParsedRequest, Partial<Surroundings>, Outcome]>([
    ['a token asks for a free name', token, kubeletA, {}, 'approved'],
    ['a token asks for the name of another node', token, kubeletA, { node: FOREIGN }, /is there already/],
    ['a token of kubeadm asks', kubeadmToken, kubeletA, {}, 'left alone'],
    ['the kubelet renews its certificate', kubelet, kubeletA, { node: NODE }, 'left alone'],
    ['a token asks for another group', token, parsed('system:node:a', ['system:masters']), {}, /organization/],
  ])('as kubelet: %s', (_, who, request, around, expected) => {
    const decision = decide(spec(KUBELET_CLIENT_SIGNER, CLIENT_USAGES, who), request, { node: undefined, ...around });
    expectOutcome(decision, expected);
  });

  it('are for nothing else', () => {
    const asked = spec(CLIENT_SIGNER, ['server auth', 'client auth'], token);
    expectOutcome(decide(asked, nodeA, { node: undefined }), /invalid usage/);
  });
});

describe('the serving certificate of a node', () => {
  it.each<[string, Spec, ParsedRequest, Surroundings['node'], Outcome]>([
    ['for its addresses', kubelet, servingA({ ipAddresses: ['10.0.0.1'] }), NODE, 'approved'],
    [
      'for its addresses in other spelling',
      kubelet,
      servingA({ ipAddresses: ['fd00:0:0:0:0:0:0:1'] }),
      NODE,
      'approved',
    ],
    ['for its name', kubelet, servingA({ dnsNames: ['a.example'] }), NODE, 'approved'],
    ['for the address of another', kubelet, servingA({ ipAddresses: ['10.0.0.1', '10.0.0.2'] }), NODE, 'waits'],
    ['for the name of another', kubelet, servingA({ dnsNames: ['kubernetes'] }), NODE, 'waits'],
    ['for nothing', kubelet, servingA({}), NODE, /subjectAltName is required/],
    ['before it is there', kubelet, servingA({ ipAddresses: ['10.0.0.1'] }), undefined, 'waits'],
    ['of a foreign kubelet', kubelet, servingA({ ipAddresses: ['10.0.0.1'] }), FOREIGN, 'waits'],
    ['by a token', token, servingA({ ipAddresses: ['10.0.0.1'] }), NODE, 'left alone'],
    ['by its other identity', node, servingA({ ipAddresses: ['10.0.0.1'] }), NODE, 'left alone'],
    [
      'by another node',
      { ...kubelet, username: 'system:node:b' },
      servingA({ ipAddresses: ['10.0.0.1'] }),
      NODE,
      'left alone',
    ],
  ])('%s', (_, who, request, found, expected) => {
    expectOutcome(decide(spec(KUBELET_SERVING_SIGNER, SERVING_USAGES, who), request, { node: found }), expected);
  });
});

describe('the certificate of an instance of the extension', () => {
  const own = parsed('vireo:extension:x', ['vireo:extensions']);
  it.each<[string, Spec, ParsedRequest, Outcome]>([
    ['by its account', extension, own, 'approved'],
    ['by itself', { username: 'vireo:extension:x', groups: ['vireo:extensions'] }, own, 'approved'],
    ['by another instance', { username: 'vireo:extension:y', groups: ['vireo:extensions'] }, own, 'left alone'],
    ['by a node', node, own, 'left alone'],
    ['by a token', token, own, 'left alone'],
    ['with another group', extension, parsed('vireo:extension:x', ['vireo:nodes']), /organization/],
  ])('%s', (_, who, request, expected) => {
    expectOutcome(decide(spec(CLIENT_SIGNER, CLIENT_USAGES, who), request, { node: undefined }), expected);
  });
});

function expectOutcome(decision: ReturnType<typeof decide>, expected: Outcome): void {
  if (expected instanceof RegExp) expect(decision).toEqual({ deny: expect.stringMatching(expected) });
  else if (expected === 'left alone') expect(decision).toBeUndefined();
  else expect(decision).toEqual({ [expected === 'approved' ? 'approve' : 'wait']: expect.any(String) });
}
