import { describe, expect, it } from 'vitest';
import { remoteUser, requireFrontProxy } from './frontProxy.ts';
import type { Peer } from './peer.ts';

describe('the user that a front proxy names', () => {
  it('has groups and more; repeated headers are as many values', () => {
    const headers = {
      'x-remote-user': ['jane'],
      'x-remote-uid': ['7'],
      'x-remote-group': ['dev', 'ops, night'],
      'x-remote-extra-scopes%2fread': ['all', 'some'],
      'x-remote-extra-%': ['odd'],
      accept: ['application/json'],
    };
    expect(remoteUser(headers)).toEqual({
      username: 'jane',
      uid: '7',
      groups: ['dev', 'ops, night'],
      extra: { 'scopes/read': ['all', 'some'], '%': ['odd'] },
    });
  });

  it('is in the headers that the server says', () => {
    const names = { username: ['x-user', 'x-other'], uid: ['x-uid'], group: ['x-groups'], extraPrefix: ['x-more-'] };
    const headers = { 'x-other': ['jane'], 'x-groups': ['dev'], 'x-more-a': ['b'], 'x-remote-user': ['root'] };
    expect(remoteUser(headers, names)).toEqual({ username: 'jane', groups: ['dev'], extra: { a: ['b'] } });
  });

  it('has to be there', () => {
    expect(() => remoteUser({})).toThrow('X-Remote-User is missing');
  });
});

describe('the certificate of a front proxy', () => {
  const peer = (authorized: boolean, commonName: string | string[]): Peer =>
    ({
      authorized,
      getPeerCertificate: () => ({ raw: Buffer.from('certificate'), subject: { CN: commonName } }),
    }) as unknown as Peer;
  const all = () => true;
  const nobody = { authorized: false, getPeerCertificate: () => ({}) } as unknown as Peer;

  it('may have any name, or one of those that are allowed', () => {
    expect(() => requireFrontProxy(peer(true, 'proxy'), all, [])).not.toThrow();
    expect(() => requireFrontProxy(peer(true, 'proxy'), all, ['other', 'proxy'])).not.toThrow();
    expect(() => requireFrontProxy(peer(true, ['unit', 'proxy']), all, ['proxy'])).not.toThrow();
  });

  it.each([
    ['is missing', nobody, [], 'the client presents no certificate'],
    ['is signed by another', peer(false, 'proxy'), [], 'not signed by the front-proxy CA'],
    ['has another name', peer(true, 'jane'), ['proxy'], 'is for "jane", which is not allowed to act for other users'],
    ['has no name', peer(true, []), ['proxy'], 'is for "", which is not allowed to act for other users'],
  ])('%s', (_, each, names, message) => {
    expect(() => requireFrontProxy(each, all, names)).toThrow(message);
  });
});
