import type { KubeObject } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { inOrder, installation } from './objects.ts';
import { missingOn, objectsFor } from './server.ts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.io' },
  spec: {
    versions: [
      {
        name: 'v1',
        selectableFields: [{ jsonPath: '.spec.colour' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-validations': [{ rule: 'true' }],
            properties: { selectableFields: { type: 'string' } },
          },
        },
      },
    ],
  },
} as KubeObject;

describe('the objects that are installed', () => {
  it('are complete since Kubernetes 1.30', () => {
    expect(objectsFor(30, [definition])).toEqual([definition]);
    expect(missingOn(30)).toEqual([]);
  });

  it('have no CEL rules and no selectable fields on an old server', () => {
    const [old] = objectsFor(20, [definition]);
    expect(old).toMatchObject({ spec: { versions: [{ name: 'v1' }] } });
    expect(JSON.stringify(old)).not.toContain('x-kubernetes-validations');
    expect(JSON.stringify(old)).not.toContain('jsonPath');
    expect(JSON.stringify(old)).toContain('"selectableFields":{"type":"string"}');
  });

  it('have no ValidatingAdmissionPolicies on an old server', () => {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'a' },
    };
    expect(objectsFor(29, [policy])).toEqual([]);
    expect(objectsFor(31, [policy])).toEqual([policy]);
  });

  it('asks webhooks about all requests for a moment only where they cannot say which they are about', () => {
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'a' },
      webhooks: [
        {
          name: 'some',
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          matchConditions: [{ name: 'b', expression: 'true' }],
        },
        { name: 'all', failurePolicy: 'Fail', timeoutSeconds: 10 },
      ],
    } as KubeObject;
    expect(objectsFor(27, [configuration])).toMatchObject([
      {
        webhooks: [
          { name: 'some', failurePolicy: 'Ignore', timeoutSeconds: 2 },
          { name: 'all', failurePolicy: 'Fail', timeoutSeconds: 10 },
        ],
      },
    ]);
    expect(objectsFor(28, [configuration])).toEqual([configuration]);
  });

  it('names what is missing', () => {
    expect(missingOn(20).length).toBeGreaterThan(missingOn(29).length);
    expect(missingOn(29).join()).toContain('ValidatingAdmissionPolicies');
  });
});

describe('an installation', () => {
  const kinds = inOrder(installation()).map(({ kind }) => kind);
  const last = (kind: string) => kinds.lastIndexOf(kind);
  const first = (kind: string) => kinds.indexOf(kind);

  it('begins with its namespace and its CRDs', () => {
    expect(kinds[0]).toBe('Namespace');
    expect(last('CustomResourceDefinition')).toBeLessThan(first('KubeVirt'));
  });

  it('has its own objects before the webhooks that nobody answers yet', () => {
    const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'APIService'].map(first);
    for (const kind of ['KubeVirt', 'VirtualMachineClusterPreference', 'Service'])
      for (const webhook of webhooks) expect(last(kind)).toBeLessThan(webhook);
  });

  it('says of every object whose it is', () => {
    const ours = inOrder(installation()).filter(({ apiVersion }) => !apiVersion.includes('kubevirt.io/'));
    for (const { metadata } of ours) expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'vireo' });
  });
});
