import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { definitionKey } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { Client } from '@vireo/kube';
import { ConfigError, type ParsedNetwork, parseNetwork } from '@vireo/network';
import { NetworkError } from '../../vmi/networks.ts';
import { CREATE_BRIDGE_ANNOTATION, RESOURCE_NAME_ANNOTATION } from './names.ts';

/** A network that a NetworkAttachmentDefinition describes. */
export interface DefinedNetwork extends ParsedNetwork {
  /** For messages: `NetworkAttachmentDefinition shop/blue`. */
  readonly what: string;
}

/** Reads the NetworkAttachmentDefinition of a network. `namespace`: that of the VMI. */
export async function readDefinition(client: Client, network: Network, namespace: string): Promise<DefinedNetwork> {
  const key = definitionKey(network, namespace);
  const what = `NetworkAttachmentDefinition ${key}`;
  const [of = '', name = ''] = key.split('/');
  const definition = await client.of(NetworkAttachmentDefinition).find(name, { namespace: of });
  if (!definition) throw new NetworkError(network.name, `${what} does not exist`);
  const { annotations = {} } = definition.metadata;
  const resourceName = annotations[RESOURCE_NAME_ANNOTATION];
  try {
    const parsed = parseNetwork(definition.spec?.config ?? '', {
      createBridge: annotations[CREATE_BRIDGE_ANNOTATION] === 'true',
      ...(resourceName !== undefined && { resourceName }),
    });
    return { ...parsed, what };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new NetworkError(network.name, `spec.config of ${what}: ${error.message}`, { cause: error });
  }
}
