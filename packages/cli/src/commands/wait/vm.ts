import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { formatDuration } from '../../duration.ts';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { inThisName } from '../../programName.ts';
import { type Connection, connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { orFail } from '../vms/refusal.ts';
import { answersSsh } from '../vms/ssh/guestSsh.ts';
import { waitFor } from '../vms/waitFor.ts';
import { GOALS, type Goal, type Observed, type Progress } from './goals.ts';

const INTERVAL_MS = 250;

type End = Extract<Progress, { state: 'reached' | 'hopeless' }>;

/** Waits until a VM has come as far as `goal`. */
export async function waitForVm(
  name: string,
  goal: Goal,
  timeoutMs: number,
  options: ConnectionOptions,
): Promise<void> {
  await connected(options, async (connection) => {
    const { namespace } = connection;
    let why = '';
    const ask = async (): Promise<End | undefined> => {
      const observed = await observe(connection, name);
      const progress = await askGuest(connection, observed, GOALS[goal](observed, name));
      if (progress.state === 'waiting') why = progress.why;
      return progress.state === 'reached' || progress.state === 'hopeless' ? progress : undefined;
    };
    const end = await waitFor(ask, { timeoutMs, intervalMs: INTERVAL_MS });
    if (end?.state === 'reached') {
      console.log(`VM ${namespace}/${name} ${REACHED[goal]}${end.detail ? `: ${end.detail}` : ''}`);
      return;
    }
    if (end)
      throw new Failure(
        `cannot wait for VM ${namespace}/${name} ${WANTED[goal]}: ${end.why}`,
        end.hint && inThisName(end.hint),
      );
    throw new Failure(
      `timed out after ${formatDuration(timeoutMs)} waiting for VM ${namespace}/${name} ${WANTED[goal]}: ${why}`,
      `For details: kubectl describe vm,vmi ${name} -n ${namespace}. To wait longer: --timeout.`,
      { exitCode: TIMED_OUT },
    );
  });
}

const WANTED: Readonly<Record<Goal, string>> = {
  running: 'to run',
  agent: 'to connect its guest agent',
  address: 'to have an address',
  ssh: 'to accept ssh connections',
  stopped: 'to stop',
  deleted: 'to be deleted',
};

const REACHED: Readonly<Record<Goal, string>> = {
  running: 'is running',
  agent: 'has a connected guest agent',
  address: 'has an address',
  ssh: 'accepts ssh connections',
  stopped: 'has stopped',
  deleted: 'is deleted',
};

async function observe(connection: Connection, name: string): Promise<Observed> {
  const { client, namespace } = connection;
  const [vm, vmi] = await orFail(
    connection,
    (why) => `cannot wait for ${name}: ${why}`,
    () => Promise.all([client.of(Vm).find(name, { namespace }), client.of(Vmi).find(name, { namespace })]),
  );
  return { ...(vm && { vm }), ...(vmi && { vmi }) };
}

async function askGuest(connection: Connection, { vmi }: Observed, progress: Progress): Promise<Progress> {
  if (progress.state !== 'ask ssh' || !vmi) return progress;
  return (await answersSsh(connection, { vmi }))
    ? { state: 'reached' }
    : { state: 'waiting', why: 'it is running, but does not accept ssh connections on port 22' };
}
