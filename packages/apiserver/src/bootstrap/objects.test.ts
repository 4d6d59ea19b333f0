import { builtinKinds, type Kind, type UnknownObject } from '@vireo/api';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { decodeBuiltin } from '../schema/builtin.ts';
import { strategyFor } from '../strategies/index.ts';
import { contextOf, texts } from '../testing/strategies.ts';
import { bootstrapObjects } from './objects.ts';

const options = {
  serverAddress: '192.0.2.7',
  port: 6443,
  serviceCIDR: '10.96.0.0/16',
  caPem: 'the CA',
  frontProxyCaPem: 'the proxy CA',
  frontProxyNames: ['front-proxy-client'],
};

const find = (kind: string, name: string, from = bootstrapObjects(options)): UnknownObject => {
  const found = from.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
};

const nameOf = ({ kind, metadata }: UnknownObject): string =>
  `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;

test('a new server has these objects, namespaces first', () => {
  expect(bootstrapObjects(options).map(nameOf)).toEqual([
    'Namespace default',
    'Namespace kube-node-lease',
    'Namespace kube-public',
    'Namespace kube-system',
    'PriorityClass system-cluster-critical',
    'PriorityClass system-node-critical',
    'ServiceCIDR kubernetes',
    'Service default/kubernetes',
    'Endpoints default/kubernetes',
    'EndpointSlice default/kubernetes',
    'ConfigMap kube-system/extension-apiserver-authentication',
    'ConfigMap kube-public/cluster-info',
    'APIService v1beta1.metrics.k8s.io',
  ]);
});

test.each(bootstrapObjects(options).map((object) => [nameOf(object), object] as const))(
  '%s passes the checks that a client would face',
  (_, object) => {
    const kind = builtinKinds.find(
      (candidate) =>
        candidate.kind === object.kind &&
        object.apiVersion === [candidate.group, candidate.version].filter(Boolean).join('/'),
    ) as unknown as Kind;
    expect(decodeBuiltin(structuredClone(object), kind).unknownFields).toEqual([]);
    const strategy = strategyFor(kind.group, kind.kind);
    const draft = structuredClone(object);
    strategy.prepareForCreate?.(draft, contextOf());
    expect(texts(strategy.validate?.(draft, contextOf()))).toEqual([]);
  },
);

test('the service keeps its address and leads to the port of the server', () => {
  const service = find('Service', 'kubernetes');
  strategyFor('', 'Service').prepareForCreate?.(service, contextOf());
  expect(service.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ port: 443, targetPort: 6443 }] });
  expect(find('Endpoints', 'kubernetes').subsets).toMatchObject([
    { addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 6443 }] },
  ]);
});

test('an IPv6 address is told apart and put in brackets', () => {
  const objects = bootstrapObjects({ ...options, serverAddress: '2001:db8::1' });
  expect(find('EndpointSlice', 'kubernetes', objects).addressType).toBe('IPv6');
  expect((find('ConfigMap', 'cluster-info', objects).data as { kubeconfig: string }).kubeconfig).toContain(
    'server: https://[2001:db8::1]:6443',
  );
});

test('aggregated servers read the authorities and the header names as JSON lists', () => {
  expect(find('ConfigMap', 'extension-apiserver-authentication').data).toEqual({
    'client-ca-file': 'the CA',
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-client-ca-file': 'the proxy CA',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  });
});

test('cluster-info is a kubeconfig without users', () => {
  const { kubeconfig } = find('ConfigMap', 'cluster-info').data as { kubeconfig: string };
  expect(parse(kubeconfig)).toMatchObject({
    kind: 'Config',
    clusters: [{ cluster: { server: 'https://192.0.2.7:6443', 'certificate-authority-data': btoa('the CA') } }],
    users: [],
  });
});
