import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatReference, type ImageReference, parseReference } from './reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('references', () => {
  it.each<[string, string]>([
    ['alpine', 'docker.io/library/alpine:latest'],
    ['kubevirt/cirros', 'docker.io/kubevirt/cirros:latest'],
    ['index.docker.io/alpine', 'docker.io/library/alpine:latest'],
    ['docker.io/alpine:3', 'docker.io/library/alpine:3'],
    ['quay.io/containerdisks/fedora:40', 'quay.io/containerdisks/fedora:40'],
    ['localhost/a', 'localhost/a:latest'],
    ['localhost:5000/a/b/c', 'localhost:5000/a/b/c:latest'],
    ['registry:5000/a', 'registry:5000/a:latest'],
    ['[::1]:5000/a', '[::1]:5000/a:latest'],
    ['Registry/a', 'Registry/a:latest'],
    [`a@${DIGEST}`, `docker.io/library/a@${DIGEST}`],
    [`quay.io/a/b:v1@${DIGEST}`, `quay.io/a/b:v1@${DIGEST}`],
    ['a__b/c-d.e:1', 'docker.io/a__b/c-d.e:1'],
  ])('%s is %s', (text, full) => {
    expect(formatReference(parseReference(text))).toBe(full);
  });

  it.each([
    '',
    ':tag',
    '/a',
    'a//b',
    'a/',
    'UPPER',
    'a b',
    '../a',
    'a/../b',
    'quay.io/',
    'quay.io/..',
    'a:',
    'a:-x',
    `a:${'x'.repeat(129)}`,
    'a@sha256:abc',
    'a@md5:d41d8cd98f00b204e9800998ecf8427e',
    `a@${DIGEST}@${DIGEST}`,
    'host:99999/a',
    'host:0/a',
    'docker://alpine',
    'http://quay.io/a',
    'a\n',
    'a%2e/b',
    `quay.io/${'a/'.repeat(200)}b`,
    '-host.io/a',
    'user@host.io/a',
  ])('%j is not a valid image reference', (text) => {
    expect(() => parseReference(text)).toThrow(/is not a valid image reference/);
  });

  const component = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,4})?$/);
  const reference: fc.Arbitrary<ImageReference> = fc
    .record({
      registry: fc.stringMatching(/^[a-z0-9]{1,9}\.[a-z]{2,5}(:[1-9][0-9]{0,3})?$/),
      path: fc.array(component, { minLength: 1, maxLength: 4 }),
      tag: fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/), { nil: undefined }),
      digest: fc.option(fc.stringMatching(/^sha256:[a-f0-9]{64}$/), { nil: undefined }),
    })
    .map(({ registry, path, tag, digest }) => ({
      registry,
      repository: path.join('/'),
      ...(tag !== undefined ? { tag } : digest === undefined ? { tag: 'latest' } : {}),
      ...(digest !== undefined && { digest }),
    }))
    .filter(({ registry }) => !registry.endsWith('docker.io'));

  it('what is written is read back', () => {
    fc.assert(
      fc.property(reference, (each) => {
        expect(parseReference(formatReference(each))).toEqual(each);
      }),
    );
  });

  it('whatever is read is harmless in a URL: no part has a dot component, a space or an escape', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        let parsed: ImageReference;
        try {
          parsed = parseReference(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'InvalidReference' });
          return;
        }
        const url = new URL(`https://${parsed.registry}/v2/${parsed.repository}/manifests/${parsed.tag}`);
        expect(url.pathname).toBe(`/v2/${parsed.repository}/manifests/${parsed.tag}`);
        expect(parseReference(formatReference(parsed))).toEqual(parsed);
      }),
    );
  });
});
