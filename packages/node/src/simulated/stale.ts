import { Node } from '@vireo/api';
import { SIMULATED_TAINT } from '@vireo/hypervisor';
import { type Client, ignoreNotFound } from '@vireo/kube';

/** Removes the simulated nodes that an earlier start has left and this one does not have. `client` may remove nodes. */
export async function removeStaleNodes(client: Client, kept: ReadonlySet<string>): Promise<void> {
  const nodes = client.of(Node);
  const stale = (await nodes.list()).items.filter((node) => isSimulated(node) && !kept.has(node.metadata.name));
  const names = stale.map(({ metadata }) => metadata.name);
  await Promise.all(names.map((name) => nodes.delete(name).catch(ignoreNotFound)));
}

const isSimulated = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === SIMULATED_TAINT.key) ?? false;
