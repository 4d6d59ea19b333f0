import type { KubeObject, UnknownObject } from '@vireo/api';

/** What credentials are checked against: reads from memory, filled by the server from its store. */
export interface Lookup {
  serviceAccount(namespace: string, name: string): KubeObject | undefined;
  secret(namespace: string, name: string): TokenSecret | undefined;
  pod(namespace: string, name: string): TokenPod | undefined;
  node(name: string): KubeObject | undefined;
}

export interface TokenSecret extends KubeObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface TokenPod extends KubeObject {
  readonly spec?: { readonly serviceAccountName?: string; readonly nodeName?: string };
}

type Get = (group: string, resource: string, namespace: string | undefined, name: string) => UnknownObject | undefined;

/** A lookup over whatever reads one object; what is stored was validated, so the types hold. */
export const lookupFrom = (get: Get): Lookup => ({
  serviceAccount: (namespace, name) => get('', 'serviceaccounts', namespace, name),
  secret: (namespace, name) => get('', 'secrets', namespace, name) as TokenSecret | undefined,
  pod: (namespace, name) => get('', 'pods', namespace, name) as TokenPod | undefined,
  node: (name) => get('', 'nodes', undefined, name),
});
