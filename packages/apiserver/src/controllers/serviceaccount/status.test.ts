import type { Secret, ServiceAccount } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { filledSecret, type TokenDecision, tokenDecision } from './status.ts';

const account = persisted<ServiceAccount>({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'robot', namespace: 'n', uid: 'u1' },
});
const secret = (annotations: Record<string, string> = {}, data?: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: {
    name: 's',
    namespace: 'n',
    annotations: { 'kubernetes.io/service-account.name': 'robot', ...annotations },
  },
  ...(data && { data }),
});
const filled = filledSecret(secret(), account, 'CA', 'TOKEN');
const uid = (value: string) => ({ 'kubernetes.io/service-account.uid': value });

describe('tokenDecision', () => {
  it.each<[string, Secret, ServiceAccount | undefined, string, TokenDecision]>([
    ['a new secret', secret(), account, 'CA', 'fill'],
    ['a filled one', filled, account, 'CA', 'nothing'],
    ['a new certificate authority', filled, account, 'CA2', 'fill'],
    ['a lost token', secret(uid('u1'), { ...filled.data, token: '' }), account, 'CA', 'fill'],
    ['no account', filled, undefined, 'CA', 'delete'],
    ['another account of that name', secret(uid('u0'), filled.data), account, 'CA', 'delete'],
  ])('%s', (_, of, owner, caPem, expected) => {
    expect(tokenDecision(of, owner, caPem)).toBe(expected);
  });
});

describe('filledSecret', () => {
  it('holds the token, the authority and the namespace', () => {
    const decoded = Object.entries(filled.data ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value, 'base64').toString(),
    ]);
    expect(Object.fromEntries(decoded)).toEqual({ token: 'TOKEN', 'ca.crt': 'CA', namespace: 'n' });
    expect(filled.metadata.annotations).toMatchObject(uid('u1'));
  });

  it('keeps a token that is there', () => {
    expect(filledSecret(filled, account, 'CA2', '').data?.token).toBe(filled.data?.token);
  });
});
