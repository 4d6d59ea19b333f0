import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Action, MinimumRole, Targets } from './action.ts';
import { notImplemented, type SINGULAR } from './refusals.ts';

type Row = readonly [name: string, method: 'GET' | 'PUT', minimumRole: MinimumRole, summary: string, why: string];

const ENCRYPTED = 'guests are not encrypted';

const OF_MACHINES: readonly Row[] = [
  ['migrate', 'PUT', 'migrate', 'Moves the machine to another node.', 'machines do not move between nodes'],
];

const OF_INSTANCES: readonly Row[] = [
  ['vsock', 'GET', 'none', 'A connection to a VSOCK port of the guest.', 'use portforward'],
  ['backup', 'PUT', 'none', 'Backs the disks up.', 'use a VirtualMachineSnapshot or a VirtualMachineExport'],
  ['redefine-checkpoint', 'PUT', 'none', 'Makes a checkpoint known again.', 'there are no checkpoints'],
  ['sev/fetchcertchain', 'GET', 'view', "The platform's certificates for encrypted guests.", ENCRYPTED],
  ['sev/querylaunchmeasurement', 'GET', 'view', 'What an encrypted guest was started from.', ENCRYPTED],
  ['sev/setupsession', 'PUT', 'edit', "Sets an encrypted guest's session up.", ENCRYPTED],
  ['sev/injectlaunchsecret', 'PUT', 'edit', 'Gives an encrypted guest its secret.', ENCRYPTED],
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
export const NOT_IMPLEMENTED: readonly Action[] = [
  ...OF_MACHINES.map((row) => action('virtualmachines', row)),
  ...OF_INSTANCES.map((row) => action('virtualmachineinstances', row)),
];
