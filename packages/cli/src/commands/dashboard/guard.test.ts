import { expect, it } from 'vitest';
import { type Asked, clusterTarget, judge, requestHeaders, responseHeaders, streamTarget } from './guard.ts';

const authority = '127.0.0.1:4000';
const own = {
  host: authority,
  origin: `http://${authority}`,
  'sec-fetch-site': 'same-origin',
  'x-vireo-dashboard': '1',
};
const asked = (more: Partial<Asked>): Asked => ({
  method: 'GET',
  isUpgrade: false,
  isForApi: true,
  headers: own,
  ...more,
});

it.each<[string, Partial<Asked>, number | undefined]>([
  ['a request of the page', {}, undefined],
  ['a write of the page', { method: 'PUT' }, undefined],
  ['a read without an origin, as browsers send it', { headers: { ...own, origin: undefined } }, undefined],
  [
    'the page itself, opened from elsewhere',
    { isForApi: false, headers: { host: authority, 'sec-fetch-site': 'cross-site' } },
    undefined,
  ],
  ['another host name', { headers: { ...own, host: 'evil.example:4000' } }, 421],
  ['localhost, which is another origin', { headers: { ...own, host: 'localhost:4000' } }, 421],
  ['the address of the host as guests see it', { headers: { ...own, host: '10.0.2.2:4000' } }, 421],
  ['another port', { headers: { ...own, host: '127.0.0.1:4001' } }, 421],
  ['no host', { headers: { ...own, host: undefined } }, 421],
  ['another origin', { headers: { ...own, origin: 'http://evil.example' } }, 403],
  ['the origin of another port', { headers: { ...own, origin: 'http://127.0.0.1:4001' } }, 403],
  ['an opaque origin', { headers: { ...own, origin: 'null' } }, 403],
  ['a write without an origin', { method: 'POST', headers: { ...own, origin: undefined } }, 403],
  ['a WebSocket without an origin', { isUpgrade: true, headers: { ...own, origin: undefined } }, 403],
  ['another site', { headers: { ...own, 'sec-fetch-site': 'cross-site' } }, 403],
  ['another port of this host', { headers: { ...own, 'sec-fetch-site': 'same-site' } }, 403],
  ['an address typed by hand', { headers: { ...own, 'sec-fetch-site': 'none' } }, 403],
  ['a form', { method: 'POST', headers: { ...own, 'x-vireo-dashboard': undefined } }, 403],
  ['a WebSocket of the page', { isUpgrade: true, headers: { ...own, 'x-vireo-dashboard': undefined } }, undefined],
  ['impersonation', { headers: { ...own, 'impersonate-user': 'system:admin' } }, 403],
])('%s is answered with %s', (_, more, status) => {
  const headers = Object.fromEntries(Object.entries(more.headers ?? own).filter(([, value]) => value !== undefined));
  expect(judge(asked({ ...more, headers }), authority)?.status).toBe(status);
});

it.each([
  ['/api/v1/pods?limit=1', '/api/v1/pods?limit=1'],
  [
    '/apis/kubevirt.io/v1/namespaces/a%20b/virtualmachines?x=/../',
    '/apis/kubevirt.io/v1/namespaces/a%20b/virtualmachines?x=/../',
  ],
  ['/version', '/version'],
  ['/openapi/v3', '/openapi/v3'],
  ['/v1/harvester/x', '/v1/harvester/x'],
  ['/apix', undefined],
  ['/metrics', undefined],
  ['/logs/', undefined],
  ['/', undefined],
  ['', undefined],
  ['http://evil.example/api', undefined],
  ['//evil.example/api', undefined],
  ['/api/../metrics', undefined],
  ['/api/%2e%2e/metrics', undefined],
  ['/api/.%2E/metrics', undefined],
  ['/api/v1%2f..%2f..%2fmetrics', undefined],
  ['/api/%252e%252e/metrics', undefined],
  ['/api\\..\\metrics', undefined],
  ['/api/v1//secrets', undefined],
  ['/api/%', undefined],
  ['/api/v1/x%00', undefined],
  ['/api/v1/x%0d%0a', undefined],
  ['/api/v1/namespaces/default/services/web/proxy/', undefined],
  ['/api/v1/nodes/n1/proxy', undefined],
  ['/api/v1/nodes/n1/pr%6fxy/metrics', undefined],
  ['/api/v1/namespaces/default/pods/web/exec?command=id', undefined],
  ['/api/v1/namespaces/default/pods/web/%65xec', undefined],
  ['/api/v1/namespaces/default/pods/web/attach', undefined],
  ['/api/v1/namespaces/default/pods/web/portforward', undefined],
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/exec/12', undefined],
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web/portforward/22', undefined],
  ['/api/v1/namespaces/default/pods/exec', '/api/v1/namespaces/default/pods/exec'],
])('%s leads to %s', (target, cluster) => {
  expect(clusterTarget(target)).toBe(cluster);
});

it.each([
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/console', true],
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/vnc?preserveSession=true', true],
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/portforward/22', false],
  ['/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/../console', false],
  ['/api/v1/namespaces/default/pods/web/exec', false],
])('%s is a stream: %s', (target, isStream) => {
  expect(streamTarget(target)).toBe(isStream ? target : undefined);
});

it('cookies, origins and identities stay here; cookies and CORS of the cluster stay there', () => {
  const sent = {
    accept: 'application/json',
    cookie: 'c',
    origin: 'o',
    authorization: 'Bearer x',
    connection: 'x',
    'x-remote-user': 'root',
  };
  expect(requestHeaders(sent)).toEqual({ accept: 'application/json' });
  const answer = {
    'content-type': 'text/html',
    'set-cookie': ['a=1'],
    'access-control-allow-origin': '*',
    warning: ['a', 'b'],
  };
  expect(responseHeaders(answer)).toMatchObject({
    'content-type': 'text/html',
    warning: 'a, b',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  expect(Object.keys(responseHeaders(answer))).not.toContain('set-cookie');
  expect(Object.keys(responseHeaders(answer))).not.toContain('access-control-allow-origin');
});
