import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { firstByte } from '../vms/firstByte.ts';
import type { Follower } from '../vms/follower.ts';
import { create, remove, type VmKind } from '../vms/lifecycle.ts';
import type { VireoWithVms } from '../vms/vireo.ts';
import type { Contestant } from './guest.ts';

/** Guests by a POST of a VirtualMachine, or of a VirtualMachineInstance. */
export function vireoGuests({ client, layout }: VireoWithVms, follower: Follower, kind: VmKind): Contestant {
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
          .then((uid) => firstByte(vmiFiles(layout, uid).serialLog))
          .then(since),
      ]);
      return { runningMs, firstByteMs };
    },
    clear: async () => {
      await Promise.all(names.splice(0).map((name) => remove(client, follower, kind, name)));
    },
  };
}
