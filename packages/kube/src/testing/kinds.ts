import type { KubeObject } from '@vireo/api';
import type { ResourceRef } from '../resource.ts';

/** The kinds that the contract suite and the tests use; every Kubernetes API server has them. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const configMaps: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export const namespaces: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const configMap = (name: string, data: Record<string, string> = {}, namespace = 'default'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});
