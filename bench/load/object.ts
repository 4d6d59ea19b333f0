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
