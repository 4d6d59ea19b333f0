import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { type Drive, type DriveOwner, drivesOf, findOwner } from './drives.ts';

/** Prints the CD-ROM drives of a VM, or of all VMs of the namespace. */
export function list(name: string | undefined, options: ConnectionOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    if (name !== undefined) return print([await findOwner(connection, name)]);
    const owners = await orFail(
      connection,
      (why) => why,
      async () => {
        const [vms, vmis] = await Promise.all([
          client.of(VirtualMachine).list({ namespace }),
          client.of(VirtualMachineInstance).list({ namespace }),
        ]);
        return ownersOf(vms.items, vmis.items);
      },
    );
    print(owners);
  });
}

/** VMs, and the instances that have none. */
export function ownersOf(vms: readonly Vm[], vmis: readonly Vmi[]): DriveOwner[] {
  const named = (name: string | undefined) => vmis.find(({ metadata }) => metadata.name === name);
  const owned = vms.flatMap(({ metadata: { name }, spec }) =>
    spec.template.spec ? [{ name, spec: spec.template.spec, vmi: named(name) }] : [],
  );
  const names = new Set(owned.map(({ name }) => name));
  const others = vmis.flatMap((vmi) => {
    const { name } = vmi.metadata;
    return names.has(name) ? [] : [{ name, spec: vmi.spec, vmi }];
  });
  return [...owned, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const HEAD = ['VM', 'DRIVE', 'BUS', 'TRAY', 'DISC', 'SIZE', 'WAITING FOR'];

function print(owners: readonly DriveOwner[]): void {
  const rows = owners.flatMap((owner) => drivesOf(owner).map((drive) => driveRow(owner, drive)));
  console.log(rows.length > 0 ? table([HEAD, ...rows]) : 'No CD-ROM drives found.');
}

/** A line of the list. What a VM that is off will find in its drive is shown in brackets. */
export function driveRow({ name, vmi }: DriveOwner, drive: Drive): string[] {
  const { claim, inside, tray = '-', sizeBytes, waits } = drive;
  const disc = vmi ? (inside ?? (sizeBytes === undefined ? '' : (claim ?? ''))) : claim && `(${claim})`;
  const size = sizeBytes === undefined ? '-' : `${(sizeBytes / 1024 / 1024).toFixed(1)} MiB`;
  return [name, drive.name, drive.bus, tray, disc || '-', size, waits ?? ''];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
