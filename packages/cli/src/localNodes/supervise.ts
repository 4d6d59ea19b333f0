import { logSettings } from '@vireo/kube/log/index.ts';
import type { PodNetwork } from '../podNetwork.ts';
import { type Supervised, supervise } from '../roles/supervise.ts';
import type { LocalNode } from './plan.ts';

/** As every node's on a host of its own; without a network of its own the node takes any. */
const PORT = '10250';

/** Runs `vireo node` on the home of a further node until `signal` aborts. Rejects if the first start fails. */
export function superviseNode(
  { name, home, link }: LocalNode,
  podNetwork: PodNetwork,
  signal: AbortSignal,
): Promise<Supervised<unknown>> {
  const { format, level } = logSettings();
  // Without the user's kubeconfig: it has joined, and its home says where.
  const { KUBECONFIG: _, ...env } = process.env;
  return supervise(
    {
      what: `node ${name}`,
      subject: { kind: 'Node', name },
      env,
      ...(link && { within: ['nsenter', `--net=/run/netns/${link.namespace}`, '--'] }),
      args: () => [
        ...['node', '--home', home, '--node-name', name, '--no-taint', '--pod-network', podNetwork],
        ...['--address', link?.address ?? '127.0.0.1', '--port', link ? PORT : '0'],
        ...['--log-format', format, '--log-level', level],
      ],
    },
    signal,
  );
}
