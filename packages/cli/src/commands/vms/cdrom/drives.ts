import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isLive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../connection.ts';
import { orFail } from '../refusal.ts';

type Vmi = VirtualMachineInstance;

/** A VM or an instance of its own, as far as CD-ROMs are concerned. */
export interface DriveOwner {
  readonly name: string;
  readonly spec: Vmi['spec'];
  /** The instance that runs, or is about to; undefined while the VM is off. */
  readonly vmi?: Vmi | undefined;
}

/** A CD-ROM drive: what it should hold, and what it does hold. */
export interface Drive {
  readonly name: string;
  readonly bus: string;
  /** The claim that the spec names. */
  readonly claim?: string | undefined;
  /** While it runs. */
  readonly tray?: string | undefined;
  readonly inside?: string | undefined;
  readonly sizeBytes?: number | undefined;
  /** Why it does not hold what it should. */
  readonly waits?: string | undefined;
}

/** Finds the VM of that name, else the instance. */
export async function findOwner(connection: Connection, name: string): Promise<DriveOwner> {
  const { client, namespace } = connection;
  const { vm, vmi } = await orFail(
    connection,
    (why) => why,
    async () => ({
      vm: await client.of(VirtualMachine).find(name, { namespace }),
      vmi: await client.of(VirtualMachineInstance).find(name, { namespace }),
    }),
  );
  const spec = vm?.spec.template.spec ?? vmi?.spec;
  if (spec) return { name, spec, vmi: isLive(vmi) ? vmi : undefined };
  throw new Failure(
    `VM ${name} not found in namespace ${namespace}`,
    `To list VMs: kubectl get vm,vmi -n ${namespace}. To use another namespace: -n NAMESPACE.`,
  );
}

/** The CD-ROM drives of a VM. */
export function drivesOf({ spec, vmi }: DriveOwner): Drive[] {
  return (spec.domain.devices?.disks ?? []).flatMap(({ name, cdrom }) => {
    if (!cdrom) return [];
    const volume = spec.volumes?.find((each) => each.name === name);
    const now = vmi?.status?.cdromStatus?.find((each) => each.name === name);
    const volumeStatus = vmi?.status?.volumeStatus?.find((each) => each.name === name);
    return [
      {
        name,
        bus: cdrom.bus ?? '',
        claim: volume && (claimNameOf(volume) ?? kindOf(volume)),
        tray: now?.tray,
        inside: now?.claimName,
        sizeBytes: now?.size,
        waits:
          volumeStatus && volumeStatus.phase !== 'Ready' && volumeStatus.phase !== undefined
            ? volumeStatus.message
            : undefined,
      },
    ];
  });
}

const kindOf = (volume: object): string => Object.keys(volume).find((key) => key !== 'name') ?? '';

/** The drive of that name; without a name, the only one. */
export function chooseDrive(owner: DriveOwner, name: string | undefined): Drive {
  const drives = drivesOf(owner);
  const names = drives.map((drive) => drive.name).join(', ');
  if (drives.length === 0)
    throw new Failure(
      `VM ${owner.name} has no CD-ROM drive`,
      'Add one to its disks, such as {name: cdrom, cdrom: {bus: sata}}, and restart it.',
    );
  const chosen = name === undefined && drives.length === 1 ? drives[0] : drives.find((drive) => drive.name === name);
  if (chosen) return chosen;
  throw name === undefined
    ? new Failure(`VM ${owner.name} has several CD-ROM drives: ${names}`, 'Choose one with --volume-name.')
    : new Failure(`VM ${owner.name} has no CD-ROM drive ${name}`, `It has: ${names}.`);
}
