import { ConfigMap, Namespace } from '@vireo/api';

/** The kinds that the contract suite and the tests use; every Kubernetes API server has them. */
export { ConfigMap, Namespace };

export const configMap = (name: string, data: Record<string, string> = {}, namespace = 'default'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
