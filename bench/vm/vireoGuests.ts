import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import { machineFiles } from '@vireo/node/machine/files.ts';
import { firstByte } from '../machines/firstByte.ts';
import type { Follower } from '../machines/follower.ts';
import { instance, machine, NAMESPACE } from '../machines/objects.ts';
import type { VireoWithMachines } from '../machines/vireo.ts';
import type { Contestant } from './guest.ts';

/** Guests by a POST of a VirtualMachine, or of a VirtualMachineInstance. */
export function vireoGuests({ client, layout }: VireoWithMachines, follower: Follower, kind: 'vm' | 'vmi'): Contestant {
  const names: string[] = [];
  return {
    prepare: async (number) => async () => {
      const name = `${kind}-${number}`;
      names.push(name);
      const startedAt = performance.now();
      await create(client, kind, name);
      const since = (): number => performance.now() - startedAt;
      const [runningMs, firstByteMs] = await Promise.all([
        follower.running(name).then(since),
        follower
          .uidOf(name)
          .then((uid) => firstByte(machineFiles(layout, uid).serialLog))
          .then(since),
      ]);
      return { runningMs, firstByteMs };
    },
    clear: async () => {
      await Promise.all(names.splice(0).map((name) => remove(client, follower, kind, name)));
    },
  };
}

export async function create(client: Client, kind: 'vm' | 'vmi', name: string): Promise<void> {
  if (kind === 'vm') await client.of(VirtualMachine).create(machine(name));
  else await client.of(VirtualMachineInstance).create(instance(name));
}

/** Resolves when nothing is left of it. */
export async function remove(client: Client, follower: Follower, kind: 'vm' | 'vmi', name: string): Promise<void> {
  const options = { namespace: NAMESPACE };
  if (kind === 'vm') await client.of(VirtualMachine).delete(name, options);
  else await client.of(VirtualMachineInstance).delete(name, options);
  await follower.gone(name);
}
