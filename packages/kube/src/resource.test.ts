import { describe, expect, it } from 'vitest';
import { keyOf, parseKey, resourcePath } from './resource.ts';
import { ConfigMap, Namespace } from './testing/kinds.ts';

const leases = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

describe('resourcePath', () => {
  it.each([
    ['all namespaces', ConfigMap, {}, '/api/v1/configmaps'],
    ['one namespace', ConfigMap, { namespace: 'ns' }, '/api/v1/namespaces/ns/configmaps'],
    ['an object', ConfigMap, { namespace: 'ns', name: 'c' }, '/api/v1/namespaces/ns/configmaps/c'],
    ['a group', leases, { namespace: 'ns', name: 'l' }, '/apis/coordination.k8s.io/v1/namespaces/ns/leases/l'],
    ['no namespace', Namespace, { name: 'ns' }, '/api/v1/namespaces/ns'],
    ['a namespace where none belongs', Namespace, { namespace: 'x', name: 'ns' }, '/api/v1/namespaces/ns'],
    ['a subresource', Namespace, { name: 'ns', subresource: 'status' }, '/api/v1/namespaces/ns/status'],
    ['a deep subresource', Namespace, { name: 'a', subresource: 'proxy/x y' }, '/api/v1/namespaces/a/proxy/x%20y'],
    ['awkward names', Namespace, { name: 'a/b?c#d:é%' }, '/api/v1/namespaces/a%2Fb%3Fc%23d%3A%C3%A9%25'],
  ])('gives the path of %s', (_, resource, location, path) => {
    expect(resourcePath(resource, location)).toBe(path);
  });

  it.each(['', '.', '..'])('finds nothing of the name %j, which would lead elsewhere', (name) => {
    const message = `namespaces: ${JSON.stringify(name)} cannot be part of a path`;
    expect(() => resourcePath(Namespace, { name })).toThrow(expect.objectContaining({ reason: 'NotFound', message }));
  });

  it('refuses an object without the namespace it needs', () => {
    expect(() => resourcePath(ConfigMap, { name: 'c' })).toThrow('configmaps "c": a namespace is required');
  });
});

describe('keys', () => {
  it.each([
    ['ns/name', { namespace: 'ns', name: 'name' }],
    ['name', { name: 'name' }],
  ])('%s names an object both ways', (key, metadata) => {
    expect(keyOf({ metadata })).toBe(key);
    expect(parseKey(key)).toEqual(metadata);
  });
});
