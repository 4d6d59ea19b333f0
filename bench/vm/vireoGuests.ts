import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { firstByte } from '../machines/firstByte.ts';
import type { Follower } from '../machines/follower.ts';
import { create, type MachineKind, remove } from '../machines/lifecycle.ts';
import type { VireoWithMachines } from '../machines/vireo.ts';
import type { Contestant } from './guest.ts';

/** Guests by a POST of a VirtualMachine, or of a VirtualMachineInstance. */
export function vireoGuests({ client, layout }: VireoWithMachines, follower: Follower, kind: MachineKind): Contestant {
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
