import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../connection.ts';
import { orFail } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';

const INTERVAL_MS = 200;

/** Waits until a drive holds the disc of a claim; without a claim, until it is empty. */
export async function untilHolds(
  connection: Connection,
  vm: string,
  drive: string,
  claim: string | undefined,
  timeoutSeconds: number,
): Promise<void> {
  const { client, namespace } = connection;
  let waits = '';
  const done = await waitFor(
    async () => {
      const { status } = await orFail(
        connection,
        (why) => `cannot read the state of CD-ROM drive ${drive} of VM ${vm}: ${why}`,
        () => client.of(VirtualMachineInstance).get(vm, { namespace }),
      );
      const volumeStatus = status?.volumeStatus?.find(({ name }) => name === drive);
      waits = volumeStatus?.message ?? '';
      const now = status?.cdromStatus?.find(({ name }) => name === drive);
      const isDone = claim === undefined ? !volumeStatus : volumeStatus?.phase === 'Ready' && now?.claimName === claim;
      return isDone || undefined;
    },
    { timeoutMs: timeoutSeconds * 1_000, intervalMs: INTERVAL_MS },
  );
  if (done) return;
  throw new Failure(
    `CD-ROM drive ${drive} of VM ${vm} has not changed within ${timeoutSeconds} s${waits && `: ${waits}`}`,
    `Vireo keeps trying. For details: kubectl describe vmi ${vm} -n ${namespace}`,
  );
}
