import { RUN_STRATEGY } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Write } from '../../actions/action.ts';
import { setRunning } from '../../actions/vm/requests.ts';

const STARTING = ['Always', 'RerunOnFailure', 'Once'];

/** The strategy that a start gives back; undefined where none is known that would start the VM. */
export function rememberedStrategy({ metadata, spec }: VirtualMachine): string | undefined {
  const before = metadata.annotations?.[RUN_STRATEGY];
  return spec.runStrategy !== undefined && before !== undefined && STARTING.includes(before) ? before : undefined;
}

/** Stops a VM for good, and remembers how it ran. */
export function halt(vm: VirtualMachine): Write {
  const { runStrategy } = vm.spec;
  const write = setRunning(vm, false);
  if (runStrategy === undefined || runStrategy === 'Halted') return write;
  return { ...write, patch: { ...write.patch, metadata: { annotations: { [RUN_STRATEGY]: runStrategy } } } };
}
