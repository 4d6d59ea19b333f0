import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Namespace } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { findNetwork, run } from '@vireo/network';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { startTasks, type TaskProcess } from '../processes.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { modelOf } from '../vm/model.ts';
import { Follower } from '../vms/follower.ts';
import { remove } from '../vms/lifecycle.ts';
import { NAMESPACE } from '../vms/objects.ts';
import { startVireoWithVms, type VireoWithVms } from '../vms/vireo.ts';
import { Beside } from './beside.ts';
import { CpuShare, guestPid } from './cpuShare.ts';
import { type Guest, linuxVmi } from './guest.ts';
import type { OutsideTasks } from './outside.ts';
import { OUTSIDE_DEVICE, UPLINK, UPLINK_DEVICE } from './places.ts';
import type { Plan } from './plan.ts';

/** What the measurements with guests share: a host outside, a Vireo, and a libvirtd beside it. */
export interface Bench {
  readonly plan: Plan;
  readonly outside: TaskProcess<OutsideTasks>;
  readonly vireo: VireoWithVms;
  readonly follower: Follower;
  readonly beside: Beside;
  readonly onProgress: (text: string) => void;
}

const BRIDGE_FILTER = '/proc/sys/net/bridge/bridge-nf-call-iptables';

/** Starts what is measured, in the network namespace that this process is in; `cleanUp` ends it. */
export async function startBench(
  plan: Plan,
  onProgress: (text: string) => void,
  cleanUp: AsyncDisposableStack,
): Promise<Bench> {
  onProgress('nothing yet: starting Vireo, its first guest and another libvirtd');
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  const outside = await startOutside(cleanUp);
  // Packets on a bridge then pass no filters, as on hosts that have neither Docker nor Kubernetes: good for libvirt.
  await writeFile(BRIDGE_FILTER, '0').catch(() => {});
  const home = join(directory, 'vireo');
  const vireo = await startVireoWithVms(home);
  cleanUp.defer(() => vireo.stop());
  if (!(await findNetwork(networkOwner(home))))
    throw new Error('guests have no addresses of their own here: `vireo up` and `vireo status` tell why');
  await vireo.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const follower = cleanUp.use(await Follower.start(vireo.client));

  // The first guest is the model for those beside.
  await vireo.client.of(VirtualMachineInstance).create(linuxVmi('model'));
  await follower.running('model');
  const model = await modelOf(vireo.layout, await follower.uidOf('model'));
  const share = await CpuShare.of(await guestPid(vireo.layout.libvirt, domainOf('model')));
  await remove(vireo.client, follower, 'vmi', 'model');

  const beside = cleanUp.use(await Beside.start(join(directory, 'beside'), vireo.layout, model, share));
  return { plan, outside, vireo, follower, beside, onProgress };
}

/** Starts the host outside and lays the cable to it. */
async function startOutside(cleanUp: AsyncDisposableStack): Promise<TaskProcess<OutsideTasks>> {
  const outside = startTasks<OutsideTasks>(new URL('./outside.ts', import.meta.url), [], ['unshare', '--net']);
  cleanUp.defer(() => outside.close());
  // It answers once it is in its namespace.
  await outside.call('ready', undefined);
  const peer = ['peer', 'name', OUTSIDE_DEVICE, 'netns', String(outside.pid)];
  await run('ip', ['link', 'add', UPLINK_DEVICE, 'type', 'veth', ...peer]);
  await run('ip', ['addr', 'add', `${UPLINK}/24`, 'dev', UPLINK_DEVICE]);
  await run('ip', ['link', 'set', UPLINK_DEVICE, 'up']);
  await outside.call('open', undefined);
  return outside;
}

const domainOf = (name: string): string => `${NAMESPACE}_${name}`;

/** Creates a VMI; resolves when its address is known, which is before it runs. */
export async function startGuest({ vireo, follower }: Bench, name: string): Promise<Required<Guest>> {
  await vireo.client.of(VirtualMachineInstance).create(linuxVmi(name));
  return follower.find(name, ({ status }) => {
    const [card] = status?.interfaces ?? [];
    if (!card?.ipAddress || !card.mac) return undefined;
    return { domain: domainOf(name), mac: card.mac, address: card.ipAddress };
  });
}
