import type { Persisted } from '@vireo/api';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { contents } from './create.ts';

/** Prints the snapshots of a VM, or of all VMs of the namespace. */
export function list(vm: string | undefined, options: ConnectionOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const { items } = await orFail(
      connection,
      (why) => why,
      () => client.of(VirtualMachineSnapshot).list({ namespace }),
    );
    const rows = items
      .filter(({ spec }) => vm === undefined || spec.source.name === vm)
      .sort((a, b) => momentOf(a).localeCompare(momentOf(b)))
      .map(snapshotRow);
    console.log(rows.length > 0 ? table([HEAD, ...rows]) : 'No snapshots found.');
  });
}

const HEAD = ['VM', 'SNAPSHOT', 'TAKEN', 'STATE', 'CONTENTS'];

const momentOf = ({ metadata, status }: Persisted<VirtualMachineSnapshot>): string =>
  status?.creationTime ?? metadata.creationTimestamp;

/** A line of the list. */
function snapshotRow(snapshot: Persisted<VirtualMachineSnapshot>): string[] {
  const { metadata, spec, status } = snapshot;
  const state = status?.readyToUse ? 'Ready' : (status?.phase ?? 'Waiting');
  const about = status?.readyToUse ? contents(snapshot) : (status?.error?.message ?? '');
  return [spec.source.name, metadata.name, status?.creationTime ?? '-', state, about];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
