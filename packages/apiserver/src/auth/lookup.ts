import type { KubeObject } from '@vireo/api';

/** What credentials are checked against: reads from memory, filled by the server from its store. */
export interface Lookup {
  serviceAccount(namespace: string, name: string): KubeObject | undefined;
  secret(namespace: string, name: string): TokenSecret | undefined;
  pod(namespace: string, name: string): KubeObject | undefined;
  node(name: string): KubeObject | undefined;
}

export interface TokenSecret extends KubeObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}
