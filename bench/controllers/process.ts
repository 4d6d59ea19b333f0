import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { serveTasks } from '../processes.ts';
import { vm } from '../vms/objects.ts';
import { STUB_NAMESPACE, type StubCluster, startStubCluster } from '../vms/stubCluster.ts';

let cluster: StubCluster | undefined;

const current = (): StubCluster => {
  if (!cluster) throw new Error('not started yet');
  return cluster;
};

const tasks = {
  /** Everything but controllers. */
  start: async ({ home, nodes }: { home: string; nodes: number }): Promise<void> => {
    cluster = await startStubCluster(home, nodes, { hasControllers: false });
  },
  /** Creates VMs, so many of them on their way at once; resolves when all run. */
  add: async ({ count, atOnce }: { count: number; atOnce: number }): Promise<void> => {
    const { client, informers } = current();
    const waiting = new Map<string, () => void>();
    const vms = informers.for(Vm, { namespace: STUB_NAMESPACE });
    vms.on({
      updated: (_, { metadata: { name }, status }) => {
        if (status?.printableStatus === 'Running') waiting.get(name)?.();
      },
    });
    await vms.whenSynced();
    let made = 0;
    const some = async (): Promise<void> => {
      while (made < count) {
        const name = `vm-${made++}`;
        const running = new Promise<void>((resolve) => waiting.set(name, resolve));
        await client.of(Vm).create(vm(name));
        await running;
        waiting.delete(name);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, some));
  },
  stop: (): Promise<void> => current().stop(),
};

export type ControllersTasks = typeof tasks;

serveTasks(tasks);
