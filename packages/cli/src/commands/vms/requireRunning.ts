import { isPaused, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Failure } from '../../failure.ts';
import { programName } from '../../programName.ts';
import { objectOf, type VmOrVmi } from './vmSummary.ts';

/** The VMI of a guest that runs; says what to do about one that does not. */
export function requireRunning(pair: VmOrVmi): Vmi {
  const { vm, vmi } = pair;
  const { name, namespace } = objectOf(pair).metadata;
  const command = (words: string): string => `${programName} ${words} ${name} -n ${namespace}`;
  if (!vmi) {
    const state = vm?.status?.printableStatus ?? 'Stopped';
    throw new Failure(
      `VM ${name} is not running: ${state}`,
      state === 'Stopped' ? `To start it: ${command('start')}` : `To see why: ${command('info')}`,
    );
  }
  if (!isRunning(vmi))
    throw new Failure(
      `VM ${name} is not running yet: ${vmi.status?.phase ?? 'Pending'}`,
      `To see why: ${command('info')}`,
    );
  if (isPaused(vmi)) throw new Failure(`VM ${name} is paused`, `To resume it: ${command('unpause vm')}`);
  return vmi;
}
