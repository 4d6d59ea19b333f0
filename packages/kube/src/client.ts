import { ApiError, type Kind, type KubeObject, type UnknownObject } from '@vireo/api';
import type { ResourceRef } from './resource.ts';
import { ResourceClient } from './resourceClient.ts';
import type { ApiCall, Transport } from './transport.ts';

/**
 * The typed client of a Kubernetes API server, wherever the server is.
 *
 * @example
 * const pods = client.of(Pod);
 * const web = await pods.get('web', { namespace: 'default' });
 */
export class Client {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** The client of one kind. A `Kind` carries its type; with a bare reference, name the type yourself. */
  of<T extends KubeObject>(kind: Kind<T>): ResourceClient<T>;
  of<T extends KubeObject = UnknownObject>(kind: ResourceRef): ResourceClient<T>;
  of<T extends KubeObject>(kind: ResourceRef): ResourceClient<T> {
    return new ResourceClient<T>(this, kind);
  }

  /** Any call; the body of the answer. Throws ApiError when the server refuses. */
  async call(request: ApiCall): Promise<unknown> {
    const { status, body } = await this.transport.call(request);
    if (status >= 400) throw ApiError.from(status, body);
    return body;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
