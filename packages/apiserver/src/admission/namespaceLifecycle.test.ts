import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind, request, type TestRequest } from '../testing/admission.ts';
import { namespaceLifecycle } from './namespaceLifecycle.ts';

const namespaceKind = kindOf('Namespace', 'namespaces', '', false);
const plugin = namespaceLifecycle(
  new Objects().put(
    namespaceKind,
    object(namespaceKind, 'default'),
    object(namespaceKind, 'going', { status: { phase: 'Terminating' } }),
  ),
);
const podIn = (namespace: string) => object(podKind, 'p', {}, { namespace });
const namespace = (name: string) => ({ oldObject: object(namespaceKind, name) });

describe('NamespaceLifecycle', () => {
  it.each<[string, TestRequest, string]>([
    ['a namespace that is there', create(podKind, podIn('default')), 'admitted'],
    ['one that is missing', create(podKind, podIn('x')), '404 namespaces "x" not found'],
    [
      'one that is going',
      create(podKind, podIn('going')),
      '403 pods "p" is forbidden: unable to create new content in namespace going because it is being terminated',
    ],
    [
      'updates in one that is going',
      request('UPDATE', podKind, { object: podIn('going'), oldObject: podIn('going') }),
      'admitted',
    ],
    ['deletions in one that is going', request('DELETE', podKind, { oldObject: podIn('going') }), 'admitted'],
    ['cluster-wide objects', create(namespaceKind, object(namespaceKind, 'new')), 'admitted'],
    ['the end of a common namespace', request('DELETE', namespaceKind, namespace('mine')), 'admitted'],
    [
      'the end of default',
      request('DELETE', namespaceKind, namespace('default')),
      '403 namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'the end of kube-system',
      request('DELETE', namespaceKind, namespace('kube-system')),
      '403 namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
  ])('%s', async (_, asked, expected) => {
    expect(await outcome(plugin, asked)).toBe(expected);
  });

  it('names the cause, for clients that wait the namespace out', () => {
    expect(() => plugin.mutate?.(create(podKind, podIn('going')))).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({
          details: expect.objectContaining({
            causes: [expect.objectContaining({ reason: 'NamespaceTerminating', field: 'metadata.namespace' })],
          }),
        }),
      }),
    );
  });
});
