import { Client, httpTransport, type KubeconfigTarget, loadKubeconfig } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { type ConnectionOptions, kubeconfigFile } from './connectionOptions.ts';

/** A server, and the namespace that names are meant in. */
export interface Connection {
  readonly client: Client;
  readonly target: KubeconfigTarget;
  readonly namespace: string;
}

/** Runs `use` with a connection that is closed afterwards, so that the command can end. */
export async function connected<T>(
  options: ConnectionOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const target = await findTarget(options);
  const client = new Client(httpTransport(target));
  try {
    return await use({ client, target, namespace: options.namespace ?? target.namespace });
  } finally {
    await client.close();
  }
}

async function findTarget(options: ConnectionOptions): Promise<KubeconfigTarget> {
  try {
    const path = kubeconfigFile(options, process.env);
    return await loadKubeconfig({ ...(path && { path }), ...(options.context && { context: options.context }) });
  } catch (error) {
    throw new Failure(
      error instanceof Error ? error.message : String(error),
      'Start a server with: vireo up --machines. Or name its kubeconfig with --kubeconfig FILE.',
    );
  }
}

/** The path of an action on a machine (`virtualmachines`) or an instance (`virtualmachineinstances`). */
export function actionPath(
  { namespace }: Connection,
  resource: 'virtualmachines' | 'virtualmachineinstances',
  name: string,
  action: string,
): string {
  return `${SUBRESOURCES}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/${action}`;
}

/** The group of the actions on machines. */
export const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1';
