import { Option } from 'commander';

/** What guests get as pod network: an address of their own, or QEMU's user networking. */
export type PodNetwork = 'routed' | 'user';

/** `--pod-network` of the commands that run a node. */
export function podNetworkOption(): Option {
  return new Option(
    '--pod-network <kind>',
    'how guests are connected: routed gives each an address of its own, on hosts that permit it; user is QEMU’s user networking',
  )
    .env('VIREO_POD_NETWORK')
    .choices(['routed', 'user'])
    .default('routed');
}
