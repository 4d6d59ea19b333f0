import { isConditionTrue } from '@vireo/api';
import { isPaused, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { pause } from '@vireo/kube';
import { type DomainRef, isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';

const TRIES = 10;
const AGAIN_MS = 1_000;

/**
 * Sets the clock of a guest that has come from another node: it is late by as long as the guest stood still. Only agents
 * can do that, so a guest without one, or one that stands still, is left as it is.
 */
export async function setGuestTime(
  vmi: Vmi,
  domain: DomainRef,
  { libvirt, clock, log }: Pick<NodeContext, 'libvirt' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  if (!isConditionTrue(vmi, 'AgentConnected') || isPaused(vmi)) return;
  for (let tried = 1; !signal.aborted; tried += 1) {
    try {
      return await libvirt.long.setGuestTime(domain, clock.now());
    } catch (error) {
      // What is said of an agent until libvirt here and it understand each other.
      const isEarly = isLibvirtError(error, 'AGENT_UNRESPONSIVE', 'AGENT_UNSYNCED');
      if (!isEarly || tried === TRIES)
        return log.warn('the clock of a guest that has come cannot be set', vmi, { error });
    }
    await pause(AGAIN_MS, signal, clock).catch(() => {});
  }
}
