import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Action, MinimumRole, Targets } from './action.ts';
import { notImplemented, type SINGULAR } from './refusals.ts';

type Row = readonly [name: string, method: 'GET' | 'PUT', minimumRole: MinimumRole, summary: string, why: string];

const ENCRYPTED = 'Vireo does not encrypt guests';

const OF_VMIS: readonly Row[] = [
  ['vsock', 'GET', 'none', 'Connects to a VSOCK port of the guest.', 'use portforward'],
  ['backup', 'PUT', 'none', 'Backs up the disks.', 'use a VirtualMachineSnapshot or a VirtualMachineExport'],
  ['redefine-checkpoint', 'PUT', 'none', 'Redefines a checkpoint.', 'Vireo has no checkpoints'],
  ['sev/fetchcertchain', 'GET', 'view', "Returns the platform's certificates for encrypted guests.", ENCRYPTED],
  ['sev/querylaunchmeasurement', 'GET', 'view', 'Returns the launch measurement of an encrypted guest.', ENCRYPTED],
  ['sev/setupsession', 'PUT', 'edit', 'Sets up the session of an encrypted guest.', ENCRYPTED],
  ['sev/injectlaunchsecret', 'PUT', 'edit', 'Injects a secret into an encrypted guest.', ENCRYPTED],
];

const action = (resource: keyof typeof SINGULAR, [name, method, minimumRole, summary, why]: Row): Action => {
  const row = {
    group: SUBRESOURCE_GROUP,
    resource,
    name,
    method,
    minimumRole,
    summary,
    isNotImplemented: true,
  } as const;
  return {
    ...row,
    decide: ({ vm, vmi }: Targets[typeof resource]) => {
      throw notImplemented(row, (vm ?? vmi)?.metadata.name ?? '', why);
    },
  };
};

/** What KubeVirt offers and Vireo does not do yet: known by name, so that the refusal can say so. */
export const NOT_IMPLEMENTED: readonly Action[] = [...OF_VMIS.map((row) => action('virtualmachineinstances', row))];
