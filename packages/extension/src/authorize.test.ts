import { type ApiCall, type ApiRequest, Client, reviewAccessBy, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byServerInProcess, bySubjectAccessReview, reviewAccess } from './authorize.ts';
import { USER } from './identity.ts';
import { type Installation, install } from './testing/installation.ts';

describe('authorisation by the cluster', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(() => installation?.close());

  const access = {
    verb: 'update',
    namespace: 'default',
    resource: 'virtualmachines',
    subresource: 'start',
    name: 'web',
  };
  const ask = (user: ApiRequest['user']) =>
    bySubjectAccessReview(reviewAccessBy(new Client(installation.server.inProcess(USER))))(
      { user } as unknown as ApiRequest,
      access,
    );

  it('lets through whom the cluster lets', async () => {
    await expect(ask({ username: 'root', groups: ['system:masters'] })).resolves.toBeUndefined();
  });

  it('refuses others with 403, and says what was asked for', async () => {
    await expect(ask({ username: 'jane', groups: [] })).rejects.toMatchObject({
      code: 403,
      message:
        'virtualmachines.subresources.kubevirt.io "web" is forbidden: User "jane" cannot update resource "virtualmachines/start" in API group "subresources.kubevirt.io" in the namespace "default"',
    });
  });

  it('asks with the uid and the extra fields of the user, which a webhook may decide by', async () => {
    const user = { username: 'jane', uid: 'u-1', groups: ['dev'], extra: { scopes: ['read', 'write'] } };
    const calls: ApiCall[] = [];
    const transport = {
      call: async (call: ApiCall) => {
        calls.push(call);
        return { status: 201, headers: {}, body: { metadata: {}, status: { allowed: true } } };
      },
    } as unknown as Transport;
    expect(await reviewAccess(new Client(transport), user, access)).toEqual({ allowed: true });
    expect(calls[0]?.body).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        user: 'jane',
        uid: 'u-1',
        groups: ['dev'],
        extra: { scopes: ['read', 'write'] },
        resourceAttributes: { group: 'subresources.kubevirt.io', ...access },
      },
    });
  });

  describe('in the process of the server', () => {
    const within = (username: string, groups: string[], subresource: string) =>
      byServerInProcess(new Client(installation.server.inProcess(USER)))(
        { user: { username, groups } } as unknown as ApiRequest,
        { ...access, verb: 'get', resource: 'virtualmachineinstances', subresource },
      );

    it('what the server has seen whole is not asked again', async () => {
      await expect(within('jane', [], 'vnc')).resolves.toBeUndefined();
    });

    it('what stands behind a slash is', async () => {
      await expect(within('root', ['system:masters'], 'vnc/screenshot')).resolves.toBeUndefined();
      await expect(within('jane', [], 'vnc/screenshot')).rejects.toMatchObject({ code: 403 });
    });
  });
});
