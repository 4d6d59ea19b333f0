import { isIP } from 'node:net';
import type { CertificateSigningRequest, Node, Service } from '@vireo/api';
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
    nodeInfo: { kubeletVersion: 'v1.36.0+vireo', machineID: 'machine-a' },
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
    [
      'another host was given the name',
      token,
      nodeA,
      { otherRequester: 'system:bootstrap:x' },
      /another host is joining/,
    ],
    ['another host was given it by the same token', token, nodeA, { otherRequester: token.username }, /another host/],
    ['VMs may run on a node of that name', token, nodeA, { vmis: ['shop/web'] }, /shop\/web.*vireo node fence a/],
    [
      'a token for the node asks for a name that VMs are on, and that another token was given',
      token,
      nodeA,
      { tokenNode: 'a', vmis: ['shop/web'], otherRequester: 'system:bootstrap:x' },
      'approved',
    ],
    [
      'a token for the node asks a second time, with another key',
      token,
      nodeA,
      { tokenNode: 'a', otherRequester: token.username },
      /another host has joined as node a/,
    ],
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

  it('are denied for other usages than client authentication', () => {
    const asked = spec(CLIENT_SIGNER, ['server auth', 'client auth'], token);
    expectOutcome(decide(asked, nodeA, { node: undefined }), /invalid usage/);
  });
});

describe('the serving certificate of a node', () => {
  const other = (name: string, machineID: string, ...addresses: string[]) =>
    ({
      metadata: { name },
      status: {
        nodeInfo: { machineID },
        addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
      },
    }) as Node;
  const around = {
    nodes: [
      other('a', 'machine-a', '10.0.0.1'),
      other('same-host', 'machine-a', '10.0.0.1'),
      other('b', 'machine-b', '10.0.0.2', 'fd00::2', 'nonsense'),
      other('nobody', ''),
    ],
    services: [{ metadata: { name: 'dns', namespace: 'kube-system' }, spec: { clusterIP: '10.96.0.10' } } as Service],
  };
  const having = (...addresses: string[]) =>
    ({
      status: {
        nodeInfo: { kubeletVersion: 'v1.36.0+vireo', machineID: 'machine-a' },
        addresses: addresses.map((address) => ({ type: isIP(address) ? 'InternalIP' : 'Hostname', address })),
      },
    }) as unknown as typeof NODE;
  const asking = (...names: string[]) =>
    servingA({ ipAddresses: names.filter((name) => isIP(name)), dnsNames: names.filter((name) => !isIP(name)) });

  it.each<[string, Spec, ParsedRequest, Surroundings['node'], Outcome]>([
    ['for its address', kubelet, asking('10.0.0.1'), NODE, 'approved'],
    ['for its address in other spelling', kubelet, asking('fd00:0:0:0:0:0:0:1'), NODE, 'approved'],
    ['for its name', kubelet, asking('a.example'), NODE, 'approved'],
    ['for an address that a node of the same host has', kubelet, asking('10.0.0.1'), having('10.0.0.1'), 'approved'],
    ['for an address that it does not have', kubelet, asking('10.0.0.1', '10.0.0.9'), NODE, 'waits'],
    ['for a name that it does not have', kubelet, asking('b.example'), NODE, 'waits'],
    ['for nothing', kubelet, servingA({}), NODE, /subjectAltName is required/],
    ['before it is there', kubelet, asking('10.0.0.1'), undefined, 'waits'],
    ['before it says what it is', kubelet, asking('10.0.0.1'), { status: {} }, 'waits'],
    ['of a foreign kubelet', kubelet, asking('10.0.0.1'), FOREIGN, 'left alone'],
    ['by a token', token, asking('10.0.0.1'), NODE, 'left alone'],
    ['by its other identity', node, asking('10.0.0.1'), NODE, 'left alone'],
    ['by another node', { ...kubelet, username: 'system:node:b' }, asking('10.0.0.1'), NODE, 'left alone'],
  ])('%s', (_, who, request, found, expected) => {
    const decision = decide(spec(KUBELET_SERVING_SIGNER, SERVING_USAGES, who), request, { ...around, node: found });
    expectOutcome(decision, expected);
  });

  it.each([
    ['10.0.0.2', /belongs to node b/],
    ['::ffff:10.0.0.2', /belongs to node b/],
    ['fd00::2', /belongs to node b/],
    ['b', /belongs to node b/],
    ['10.96.0.10', /Service kube-system\/dns/],
    ['localhost', /no name of a host/],
    ['localhost.localdomain', /no name of a host/],
    ['kubernetes', /no name of a host/],
    ['Kubernetes.default.', /no name of a host/],
    ['virt-api.kubevirt.svc', /no name of a host/],
    ['virt-api.kubevirt.svc.example.org', /no name of a host/],
    ['a.cluster.local', /no name of a host/],
    ['*.example', /no name of a host/],
  ])('not for %s, even if its Node says that it has it', (name, expected) => {
    const asked = spec(KUBELET_SERVING_SIGNER, SERVING_USAGES, kubelet);
    expectOutcome(decide(asked, asking(name), { ...around, node: having(name) }), expected);
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
