import type { KubeObject, Persisted } from '@vireo/api';
import type { Lookup as StoredObjects } from '../strategies/strategy.ts';

/** What credentials are checked against: reads from memory, filled by the server from its store. */
export interface Lookup {
  serviceAccount(namespace: string, name: string): Persisted | undefined;
  secret(namespace: string, name: string): Persisted<TokenSecret> | undefined;
  configMap(namespace: string, name: string): Persisted | undefined;
  pod(namespace: string, name: string): Persisted<TokenPod> | undefined;
  node(name: string): Persisted | undefined;
}

export interface TokenSecret extends KubeObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface TokenPod extends KubeObject {
  readonly spec?: { readonly serviceAccountName?: string; readonly nodeName?: string };
}

type Get = StoredObjects['get'];

/** A lookup over whatever reads one object; what is stored was validated, so the types hold. */
export const lookupFrom = (get: Get): Lookup => ({
  serviceAccount: (namespace, name) => get('', 'serviceaccounts', namespace, name),
  secret: (namespace, name) => get('', 'secrets', namespace, name) as Persisted<TokenSecret> | undefined,
  configMap: (namespace, name) => get('', 'configmaps', namespace, name),
  pod: (namespace, name) => get('', 'pods', namespace, name) as Persisted<TokenPod> | undefined,
  node: (name) => get('', 'nodes', undefined, name),
});
