import { describe, expect, it } from 'vitest';
import { findTarget, withFlags } from './connection.ts';

const target = { server: 'https://a:6443', namespace: 'shop', certificateAuthority: 'ca', serverName: 'a' };

describe('flags go before the kubeconfig', () => {
  it('server and its name', async () => {
    expect(await withFlags(target, { server: 'https://b' })).toMatchObject({
      server: 'https://b',
      serverName: undefined,
    });
    expect(await withFlags(target, { tlsServerName: 'c' })).toMatchObject({
      server: 'https://a:6443',
      serverName: 'c',
    });
    expect(await withFlags(target, { server: 'b:8080' })).toMatchObject({ server: 'http://b:8080' });
  });

  it('who one is', async () => {
    const { credentials, impersonate } = await withFlags(target, {
      token: 't',
      as: 'ada',
      asGroup: ['dev'],
      asUid: '7',
    });
    expect(await credentials?.get()).toEqual({ token: 't' });
    expect(impersonate).toEqual({ user: 'ada', groups: ['dev'], uid: '7' });
  });

  it('taking any certificate leaves the authority out', async () => {
    expect(await withFlags(target, { insecureSkipTlsVerify: true })).toMatchObject({
      insecure: true,
      certificateAuthority: undefined,
    });
  });

  it.each([
    [{ asGroup: ['dev'] }, '--as-group and --as-uid need --as'],
    [{ clientKey: 'k' }, '--client-certificate and --client-key must be given together'],
    [{ certificateAuthority: '/nowhere/ca' }, '--certificate-authority /nowhere/ca cannot be read'],
    [{ server: 'http://' }, '--server http:// is not an address'],
  ])('%j is refused', async (options, message) => {
    await expect(withFlags(target, options)).rejects.toThrow(message);
  });
});

it('a kubeconfig that was asked for must be there, even with --server', async () => {
  await expect(findTarget({ server: 'https://a', kubeconfig: '/nowhere/config' })).rejects.toThrow('/nowhere/config');
});
