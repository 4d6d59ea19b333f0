import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Authorities,
  authoritiesFromData,
  authoritiesToData,
  bundleOf,
  decideAuthorities,
  isSignedBy,
  issueServing,
  renewAtMs,
  renewServingAtMs,
} from './authorities.ts';

const LIFETIMES = { authorityMs: 100_000, servingMs: 20_000, publishMs: 5_000 };
const START = Date.UTC(2026, 0, 1);
const at = (seconds: number): number => START + seconds * 1000;
const certificates = (pem: string): number => pem.split('BEGIN CERTIFICATE').length - 1;
const decide = (found: Authorities | undefined, seconds: number, publishedSeconds?: number) =>
  decideAuthorities(found, LIFETIMES, at(seconds), publishedSeconds === undefined ? undefined : at(publishedSeconds));

const first = decide(undefined, 0).authorities;
const withNext = decide(first, 80).authorities;
const second = decide(withNext, 86, 81).authorities;

describe('the CA of serving certificates', () => {
  it('is created if there is none', () => {
    expect(decide(undefined, 0)).toMatchObject({ hasChanged: true });
    expect(first.next).toBeUndefined();
    expect(new X509Certificate(first.current.certPem).ca).toBe(true);
  });

  it.each<[string, Authorities, number, number | undefined, boolean]>([
    ['young: it stays', first, 70, undefined, false],
    ['old: another is published beside it', first, 79, undefined, true],
    ['the other is not published everywhere: it does not sign', withNext, 90, undefined, false],
    ['the other is published, but not for long: it does not sign', withNext, 84, 80, false],
    ['the other has been published for long enough: it signs', withNext, 85, 80, true],
    ['the first has not expired: it stays trusted', second, 99, undefined, false],
    ['the first has expired: it goes', second, 101, undefined, true],
  ])('%s', (_, found, seconds, published, hasChanged) =>
    expect(decide(found, seconds, published).hasChanged).toBe(hasChanged),
  );

  it('is published, used and dropped in that order', () => {
    expect(withNext.current).toEqual(first.current);
    expect(certificates(bundleOf(withNext))).toBe(2);
    expect(second.current).toEqual(withNext.next);
    expect(second.next).toBeUndefined();
    expect(second.previous).toEqual([first.current.certPem]);
    expect(decide(second, 101).authorities.previous).toEqual([]);
  });

  it('is looked at again when something is due', () => {
    expect(decide(first, 10).lookAtMs).toBe(renewAtMs(first.current.certPem));
    expect(decide(withNext, 82, 81).lookAtMs).toBe(at(86));
    expect(decide(second, 90).lookAtMs).toBe(at(100));
  });

  it('that has expired unnoticed is replaced at once, by the next one if there is one', () => {
    expect(decide(withNext, 101).authorities.current).toEqual(withNext.next);
    const late = decide(withNext, 1000).authorities;
    expect([first.current, withNext.next]).not.toContainEqual(late.current);
    expect(late.previous).toEqual([]);
  });

  it('is kept in a Secret; what is none is not used', () => {
    for (const each of [first, withNext, second]) {
      const { data } = { data: authoritiesToData(each) };
      expect(authoritiesFromData({ data })).toEqual(each);
    }
    expect(authoritiesFromData({})).toBeUndefined();
    const data = { ...authoritiesToData(first), 'tls.key': authoritiesToData(second)['tls.key'] ?? '' };
    expect(authoritiesFromData({ data })).toBeUndefined();
  });
});

describe('a serving certificate', () => {
  it('has the names of the Services, and is renewed after most of its life', () => {
    const { certPem } = issueServing(first, ['virt-api.kubevirt.svc', '10.0.0.7', 'other.svc'], LIFETIMES, at(0));
    const certificate = new X509Certificate(certPem);
    expect(certificate.subjectAltName).toBe('DNS:virt-api.kubevirt.svc, DNS:other.svc, IP Address:10.0.0.7');
    expect(certificate.validToDate).toEqual(new Date(at(20)));
    expect(renewAtMs(certPem)).toBeGreaterThan(at(15));
    expect(renewAtMs(certPem)).toBeLessThan(at(17));
    expect(isSignedBy(certPem, first.current)).toBe(true);
    expect(isSignedBy(certPem, second.current)).toBe(false);
  });

  it('does not outlive who has signed it', () => {
    const { certPem } = issueServing(first, ['a'], LIFETIMES, at(90));
    expect(new X509Certificate(certPem).validToDate).toEqual(new Date(at(100)));
    // Another one would not last longer: it is replaced with the CA.
    expect(renewServingAtMs(certPem, first.current)).toBe(Number.POSITIVE_INFINITY);
    const young = issueServing(first, ['a'], LIFETIMES, at(50)).certPem;
    expect(renewServingAtMs(young, first.current)).toBe(renewAtMs(young));
  });
});
