import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from './requestInfo.ts';

const parse = (method: string, target: string) => {
  const [path = '', query = ''] = target.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
};

describe('what a request is about', () => {
  it.each([
    ['GET', '/api/v1/namespaces/default/pods', 'list', 'pods', 'default', '', ''],
    ['GET', '/api/v1/pods', 'list', 'pods', undefined, '', ''],
    ['GET', '/api/v1/pods?watch=true', 'watch', 'pods', undefined, '', ''],
    ['GET', '/api/v1/pods?watch=false', 'list', 'pods', undefined, '', ''],
    ['GET', '/api/v1/watch/namespaces/default/pods', 'watch', 'pods', 'default', '', ''],
    ['GET', '/api/v1/namespaces/default/pods/web', 'get', 'pods', 'default', 'web', ''],
    ['PUT', '/api/v1/namespaces/default/pods/web/status', 'update', 'pods', 'default', 'web', 'status'],
    ['POST', '/api/v1/namespaces/default/pods/web/binding', 'create', 'pods', 'default', 'web', 'binding'],
    ['DELETE', '/api/v1/namespaces/default/pods', 'deletecollection', 'pods', 'default', '', ''],
    ['DELETE', '/api/v1/namespaces/default/pods/web', 'delete', 'pods', 'default', 'web', ''],
    ['PUT', '/api/v1/namespaces/default/pods', 'update', 'pods', 'default', '', ''],
    ['PATCH', '/api/v1/nodes/one', 'patch', 'nodes', undefined, 'one', ''],
    ['GET', '/api/v1/namespaces', 'list', 'namespaces', undefined, '', ''],
    ['GET', '/api/v1/namespaces/default', 'get', 'namespaces', 'default', 'default', ''],
    ['PUT', '/api/v1/namespaces/default/finalize', 'update', 'namespaces', 'default', 'default', 'finalize'],
    ['GET', '/api/v1/namespaces/a%20b/pods/c%2Fd', 'get', 'pods', 'a b', 'c/d', ''],
  ])('%s %s is %s of %s', (method, target, verb, resource, namespace, name, subresource) => {
    expect(parse(method, target)).toMatchObject({ isResource: true, verb, resource, name, subresource, group: '' });
    expect((parse(method, target) as { namespace?: string }).namespace).toBe(namespace);
  });

  it('keeps what follows a subresource', () => {
    expect(
      parse('GET', '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachineinstances/x/portforward/22/tcp'),
    ).toMatchObject({
      group: 'subresources.kubevirt.io',
      version: 'v1',
      subresource: 'portforward',
      rest: ['22', 'tcp'],
    });
  });

  it.each([
    '/',
    '/version',
    '/api',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/healthz',
    '/apis//v1/pods',
    '/v1/harvester',
  ])('%s is a plain path', (path) => {
    expect(parse('GET', path)).toMatchObject({ isResource: false, verb: 'get', path });
  });

  it('refuses a path that is not properly escaped', () => {
    expect(() => parse('GET', '/api/v1/namespaces/%zz/pods')).toThrow('not properly escaped');
  });
});
