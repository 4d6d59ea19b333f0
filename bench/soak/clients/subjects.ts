import { ConfigMap, Deployment, type KubeObject, Lease, Secret, Service, type UnknownObject } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Draft, ResourceRef } from '@vireo/kube';
import type { Random } from '../../../faults/random.ts';

/** A kind that the clients write, and how. */
export interface Subject {
  readonly ref: ResourceRef;
  /** Everything besides the metadata. */
  readonly content: (random: Random) => Record<string, unknown>;
  /** A change by merge patch that is always valid. */
  readonly change: (random: Random) => Record<string, unknown>;
  /** Takes strategic merge patches. */
  readonly isBuiltIn: boolean;
  /** A change of the status, where the kind has one that nobody else writes. */
  readonly status?: (random: Random) => Record<string, unknown>;
  readonly hasScale?: boolean;
  /** Controllers write to its objects as well, so that these may be newer than what a client was told. */
  readonly isControlled?: boolean;
}

export const GROUP = 'soak.vireo.dev';

/** The custom resource of the soak: a list by keys, a default, rules, a status and a scale. */
export const Widget: ResourceRef = { group: GROUP, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

const text = (random: Random): string => random.between(0, 2 ** 31).toString(36);
const words = (random: Random): string => Array.from({ length: random.between(1, 60) }, () => text(random)).join(' ');
const port = (random: Random): number => random.between(1, 65_535);
const base64 = (value: string): string => Buffer.from(value).toString('base64');

const PODS = { app: 'soak' };

export const SUBJECTS: readonly Subject[] = [
  {
    ref: ConfigMap,
    isBuiltIn: true,
    content: (random) => ({ data: { first: words(random), second: text(random) } }),
    change: (random) => ({ data: { [`key-${random.between(1, 5)}`]: random.next() < 0.2 ? null : words(random) } }),
  },
  {
    ref: Secret,
    isBuiltIn: true,
    content: (random) => ({ type: 'Opaque', data: { token: base64(words(random)) } }),
    change: (random) => ({ data: { token: base64(words(random)) } }),
  },
  {
    ref: Service,
    isBuiltIn: true,
    content: (random) => ({ spec: { selector: PODS, ports: [{ name: 'web', port: port(random) }] } }),
    change: (random) => ({ spec: { publishNotReadyAddresses: random.next() < 0.5 } }),
  },
  {
    ref: Lease,
    isBuiltIn: true,
    content: (random) => ({ spec: { holderIdentity: text(random), leaseDurationSeconds: 15 } }),
    change: (random) => ({ spec: { holderIdentity: text(random), leaseTransitions: random.between(0, 1000) } }),
  },
  {
    ref: Deployment,
    isBuiltIn: true,
    hasScale: true,
    content: (random) => ({
      spec: {
        replicas: random.between(0, 9),
        selector: { matchLabels: PODS },
        template: { metadata: { labels: PODS }, spec: { containers: [{ name: 'main', image: text(random) }] } },
      },
    }),
    change: (random) => ({ spec: { minReadySeconds: random.between(0, 100) } }),
    status: (random) => ({ status: { observedGeneration: random.between(1, 1000) } }),
  },
  {
    ref: Widget,
    isBuiltIn: false,
    hasScale: true,
    content: (random) => ({ spec: { size: random.between(1, 100), replicas: 1, parts: [{ name: 'a', weight: 1 }] } }),
    change: (random) => ({ spec: { size: random.between(1, 100), note: words(random) } }),
    status: (random) => ({ status: { phase: text(random) } }),
  },
  {
    ref: VirtualMachine,
    isBuiltIn: false,
    isControlled: true,
    content: (random) => ({
      spec: {
        runStrategy: random.next() < 0.3 ? 'Always' : 'Halted',
        template: {
          spec: {
            terminationGracePeriodSeconds: 0,
            domain: { devices: {}, memory: { guest: '64Mi' }, resources: { requests: { cpu: '1m' } } },
          },
        },
      },
    }),
    change: (random) => ({ spec: { runStrategy: random.pick(['Always', 'Halted']) } }),
  },
];

/** An object to be created. */
export function draft(subject: Subject, name: string, namespace: string, owner: string, random: Random) {
  const { ref } = subject;
  return {
    apiVersion: ref.group ? `${ref.group}/${ref.version}` : ref.version,
    kind: ref.kind,
    metadata: { name, namespace, labels: { 'soak.vireo.dev/owner': owner } },
    ...subject.content(random),
  } as Draft<KubeObject> & UnknownObject;
}

/** The definition of Widget. */
export const widgetDefinition = (group: string): UnknownObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: 'self.size < 1000', message: 'size must be below 1000' }],
                properties: {
                  size: { type: 'integer', minimum: 1, default: 1 },
                  replicas: { type: 'integer' },
                  note: { type: 'string' },
                  parts: {
                    type: 'array',
                    maxItems: 50,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, weight: { type: 'integer' } },
                    },
                  },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, replicas: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
});
