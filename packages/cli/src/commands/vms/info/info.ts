import { Event, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { stringify } from 'yaml';
import { connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { findVm } from '../findVm.ts';
import { expandedSpec } from '../readVms.ts';
import { findLogin } from '../ssh/login.ts';
import { summarize } from '../vmSummary.ts';
import { infoText, vmInfo } from './describe.ts';

/** Prints all there is to know of a VM. */
export function info(name: string, options: ConnectionOptions & { readonly output?: 'json' | 'yaml' }): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const pair = await findVm(connection, name);
    // Who may see the VM may not always see the rest; it is then left out.
    const itemsOf = <T>(list: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> =>
      list.then(
        ({ items }) => items,
        () => [],
      );
    const [claims, events, snapshots, login, expanded] = await Promise.all([
      itemsOf(client.of(PersistentVolumeClaim).list({ namespace })),
      itemsOf(client.of(Event).list({ namespace, fieldSelector: `involvedObject.name=${name}` })),
      itemsOf(client.of(VirtualMachineSnapshot).list({ namespace })),
      findLogin(connection, pair),
      expandedSpec(connection, pair),
    ]);
    const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
    const info = vmInfo({ pair, summary: summarize(pair, byName, expanded), login, snapshots, events });
    if (options.output === 'json') console.log(JSON.stringify(info, undefined, 2));
    else if (options.output === 'yaml') console.log(stringify(info).trimEnd());
    else console.log(infoText(info, new Date()));
  });
}
