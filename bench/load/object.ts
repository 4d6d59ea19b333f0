/** The bytes of data that make a stored ConfigMap about 2 KB long. */
const DATA_BYTES = 1600;

/** The object of every measurement: a ConfigMap of about 2 KB once it is stored. */
export const configMap = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'bench', tier: 'measured' }, annotations: { note: 'made by bench' } },
  data: { 'settings.conf': 'key = value\n'.repeat(Math.ceil(DATA_BYTES / 12)).slice(0, DATA_BYTES) },
});

export const collectionPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

const GROUP = 'bench.example.com';
const kindOf = (plural: string): string => `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;

/** A custom resource of the same size, for a kind that `settingsDefinition` defines. */
export const settingsWithin = (namespace: string, name: string, plural: string) => ({
  apiVersion: `${GROUP}/v1`,
  kind: kindOf(plural),
  metadata: { name, namespace, labels: { app: 'bench', tier: 'measured' } },
  spec: {
    replicas: 3,
    maxReplicas: 5,
    image: 'registry.example.com/team/app:1.2.3',
    memory: '512Mi',
    ports: Array.from({ length: 8 }, (_, i) => ({ name: `port-${i}`, port: 8000 + i })),
    text: 'x'.repeat(DATA_BYTES - 400),
  },
});

export const settingsPath = (namespace: string, plural: string): string =>
  `/apis/${GROUP}/v1/namespaces/${namespace}/${plural}`;

/** What such kinds commonly check: numbers against each other, formats, and every item of a list. */
const RULES = {
  spec: [
    { rule: 'self.replicas <= self.maxReplicas', message: 'replicas must not exceed maxReplicas' },
    { rule: "self.ports.all(p, p.name.startsWith('port-'))" },
    { rule: "quantity(self.memory).isLessThan(quantity('1Gi'))" },
  ],
  image: [{ rule: "self.matches('^[a-z0-9./-]+:[a-z0-9.-]+$')", messageExpression: "'no tag: ' + self" }],
  port: [{ rule: 'self > 1024 && self < 65536' }],
};

/** A definition of such a kind, with rules or without. */
export function settingsDefinition(plural: string, hasRules: boolean) {
  const rules = (of: keyof typeof RULES) => (hasRules ? { 'x-kubernetes-validations': RULES[of] } : {});
  const port = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', maxLength: 20 }, port: { type: 'integer', ...rules('port') } },
  };
  const properties = {
    replicas: { type: 'integer' },
    maxReplicas: { type: 'integer' },
    image: { type: 'string', maxLength: 100, ...rules('image') },
    memory: { type: 'string', maxLength: 20 },
    ports: {
      type: 'array',
      maxItems: 20,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: port,
    },
    text: { type: 'string' },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties, ...rules('spec') } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind: kindOf(plural) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
