import { unauthorized } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { accessOf, type CallerRequest, identify, pathOf, requireCaller } from './callers.ts';

const reviews = {
  token: async (token: string): Promise<UserInfo> => {
    if (token !== 'good') throw unauthorized('the token is not valid');
    return { username: 'prometheus', groups: ['system:authenticated'] };
  },
  access: async ({ username }: UserInfo) => ({ allowed: username === 'vireo:extension:x' }),
};

const request = (
  certificate: object | undefined,
  { authorized = true, ...more }: Partial<CallerRequest> & { authorized?: boolean } = {},
): CallerRequest =>
  ({
    headers: {},
    method: 'GET',
    url: '/pods',
    socket: { authorized, getPeerCertificate: () => certificate ?? {} },
    ...more,
  }) as unknown as CallerRequest;

const certificate = {
  raw: Buffer.from('x'),
  valid_to: 'Jan  1 00:00:00 2030 GMT',
  subject: { CN: 'vireo:extension:x', O: 'vireo:extensions' },
};
const now = Date.parse('2026-01-01T00:00:00Z');

describe('whoever calls a node', () => {
  it('is the user that the client certificate names', async () => {
    expect(await identify(request(certificate), reviews, now)).toEqual({
      username: 'vireo:extension:x',
      groups: ['vireo:extensions', 'system:authenticated'],
    });
  });

  it.each<[string, CallerRequest, number]>([
    ['with a certificate of another authority', request(certificate, { authorized: false }), now],
    ['with a certificate that has ended', request(certificate), Date.parse('2031-01-01T00:00:00Z')],
    ['with a certificate that names nobody', request({ ...certificate, subject: {} }), now],
    ['with nothing', request(undefined), now],
    ['with a token that is not valid', request(undefined, { headers: { authorization: 'Bearer bad' } }), now],
    // Whoever shows a certificate is judged by it.
    [
      'with a foreign certificate and a token',
      request(certificate, { authorized: false, headers: { authorization: 'Bearer good' } }),
      now,
    ],
  ])('%s is nobody', async (_, asked, nowMs) => {
    await expect(identify(asked, reviews, nowMs)).rejects.toMatchObject({ code: 401 });
  });

  it('gets only what a SubjectAccessReview allows', async () => {
    await requireCaller(request(certificate), 'a', reviews, { isUpgrade: false, nowMs: now });
    const prometheus = request(undefined, { headers: { authorization: 'Bearer good' }, url: '/metrics' });
    await expect(requireCaller(prometheus, 'a', reviews, { isUpgrade: false, nowMs: now })).rejects.toThrow(
      'User "prometheus" cannot get resource "nodes/metrics"',
    );
  });
});

describe('what a request needs', () => {
  it.each([
    ['GET', '/metrics', false, 'get', 'metrics'],
    ['GET', '/metrics/resource', false, 'get', 'metrics'],
    ['GET', '/metricsother', false, 'get', 'proxy'],
    ['GET', '/stats/summary', false, 'get', 'stats'],
    ['GET', '/containerLogs/a/b/c', false, 'get', 'proxy'],
    ['POST', '/v1/namespaces/a/virtualmachineinstances/b/pause', false, 'create', 'vms'],
    ['PUT', '/v1/x', false, 'update', 'vms'],
    ['GET', '/v1/namespaces/a/virtualmachineinstances/b/console', true, 'create', 'vms'],
    ['PROPFIND', '/v1/x', false, 'create', 'vms'],
  ])('%s %s (upgrade: %s) → %s nodes/%s', (method, path, isUpgrade, verb, subresource) => {
    expect(accessOf(method, path, isUpgrade)).toEqual({ verb, subresource });
  });

  it.each([
    ['/metrics/../v1/x', '/v1/x'],
    ['/metrics/%2e%2e/v1/x', '/v1/x'],
    ['//metrics/v1/x', '/v1/x'],
    ['/pods?x=1', '/pods'],
  ])('is judged by the path that is answered: %s is %s', (url, path) => {
    expect(pathOf({ url })).toBe(path);
  });
});
