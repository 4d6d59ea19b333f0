import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Namespace } from '@vireo/api';
import { nodeLayout } from '@vireo/node';
import { LibvirtdSupervisor } from '@vireo/node/libvirtd/supervisor.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { Follower } from '../vms/follower.ts';
import { endDaemon } from '../vms/libvirtd.ts';
import { create, remove } from '../vms/lifecycle.ts';
import { NAMESPACE } from '../vms/objects.ts';
import { startVireoWithVms, type VireoWithVms } from '../vms/vireo.ts';
import type { Contestant } from './guest.ts';
import { modelOf } from './model.ts';
import type { Plan } from './plan.ts';
import { rawGuests } from './rawGuests.ts';
import { vireoGuests } from './vireoGuests.ts';
import { virshGuests } from './virshGuests.ts';

type ContestantName = 'raw' | 'virsh' | 'vm' | 'vmi';

/** Everything that the measurements share: one Vireo, one daemon beside it, and the ways to run a guest. */
export interface Bench {
  readonly plan: Plan;
  readonly vireo: VireoWithVms;
  readonly contestants: Readonly<Record<ContestantName, Contestant>>;
  readonly onProgress: (text: string) => void;
}

/** Starts what is measured; `cleanUp` ends it. */
export async function startBench(
  plan: Plan,
  onProgress: (text: string) => void,
  cleanUp: AsyncDisposableStack,
): Promise<Bench> {
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  const vireo = await startVireoWithVms(join(directory, 'vireo'));
  cleanUp.defer(() => vireo.stop());
  await vireo.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const follower = cleanUp.use(await Follower.start(vireo.client));

  // The first VM is the model for the others.
  await create(vireo.client, 'vmi', 'model');
  await follower.running('model');
  const model = await modelOf(vireo.layout, await follower.uidOf('model'));
  await remove(vireo.client, follower, 'vmi', 'model');

  const beside = nodeLayout(join(directory, 'beside'), vireo.layout.isRoot);
  // With what Vireo's daemon knows of QEMU already: finding that out takes seconds.
  await cp(join(vireo.layout.libvirt, 'cache'), join(beside.libvirt, 'cache'), { recursive: true });
  await mkdir(beside.vmis, { recursive: true });
  cleanUp.defer(() => endDaemon(beside));
  await new LibvirtdSupervisor(beside, {
    debug() {},
    info() {},
    warn: console.error,
    error: console.error,
  }).ensureRunning();

  const contestants = {
    raw: rawGuests(directory, model),
    virsh: virshGuests(beside, model),
    vm: vireoGuests(vireo, follower, 'vm'),
    vmi: vireoGuests(vireo, follower, 'vmi'),
  };
  // QEMUs of ours have nobody else who ends them.
  cleanUp.defer(() => contestants.raw.clear());
  return {
    plan,
    vireo,
    contestants,
    onProgress,
  };
}
