import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Action, MinimumRole, Targets } from './action.ts';
import { notImplemented, type SINGULAR } from './refusals.ts';

type Row = readonly [name: string, method: 'GET' | 'PUT', minimumRole: MinimumRole, summary: string, why: string];

/** Why nobody has built it: it could not be run anywhere. */
const NEEDS_SEV = 'guests are encrypted by AMD processors with SEV (/dev/sev), on which Vireo has never run';
const NO_CHECKPOINTS = 'checkpoints, by which QEMU knows which blocks have changed, and Vireo does not make them';

const OF_VMIS: readonly Row[] = [
  [
    'backup',
    'PUT',
    'none',
    'Backs up the disks.',
    `a backup needs ${NO_CHECKPOINTS}; use a VirtualMachineSnapshot or a VirtualMachineExport`,
  ],
  ['redefine-checkpoint', 'PUT', 'none', 'Redefines a checkpoint.', `it is about ${NO_CHECKPOINTS}`],
  ['sev/fetchcertchain', 'GET', 'view', "Returns the platform's certificates for encrypted guests.", NEEDS_SEV],
  ['sev/querylaunchmeasurement', 'GET', 'view', 'Returns the launch measurement of an encrypted guest.', NEEDS_SEV],
  ['sev/setupsession', 'PUT', 'edit', 'Sets up the session of an encrypted guest.', NEEDS_SEV],
  ['sev/injectlaunchsecret', 'PUT', 'edit', 'Injects a secret into an encrypted guest.', NEEDS_SEV],
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

/** What KubeVirt offers and Vireo does not do: known by name, so that the refusal can say so. */
export const NOT_IMPLEMENTED: readonly Action[] = [...OF_VMIS.map((row) => action('virtualmachineinstances', row))];
