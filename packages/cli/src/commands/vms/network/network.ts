import { stringify } from 'yaml';
import { connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { findVm } from '../findVm.ts';
import { objectOf } from '../vmSummary.ts';
import { readNetwork } from './read.ts';
import { networkSummary } from './summary.ts';
import { networkText } from './text.ts';
import { vmNetwork, vmNetworkText } from './vm.ts';

interface NetworkOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean;
  readonly output?: 'json' | 'yaml';
}

/** Prints the networks, addresses, Services and policies of a namespace, or what concerns one VM. */
export function network(vm: string | undefined, options: NetworkOptions): Promise<void> {
  const { allNamespaces = false, output } = options;
  return connected(options, async (connection) => {
    const print = <T>(data: T, text: (data: T) => string): void =>
      console.log(
        output === 'json'
          ? JSON.stringify(data, undefined, 2)
          : output === 'yaml'
            ? stringify(data).trimEnd()
            : text(data),
      );
    if (vm === undefined) {
      const summary = networkSummary(await readNetwork(connection, allNamespaces));
      return print(summary, (data) => networkText(data, { allNamespaces }));
    }
    const { uid } = objectOf(await findVm(connection, vm)).metadata;
    print(vmNetwork(await readNetwork(connection, false), uid), vmNetworkText);
  });
}
