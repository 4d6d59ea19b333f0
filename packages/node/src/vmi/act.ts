import { isDeleting } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { ConversionError } from '@vireo/hypervisor';
import type { Result } from '@vireo/kube';
import { isLibvirtError, LibvirtError, ShutdownFlags, StartFlags, UndefineFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { stopIdleDaemons } from '../filesystems/daemons.ts';
import { removeDomainLog } from '../libvirtd/domainLog.ts';
import { endedForMemory, OOM_KILLED } from '../limits/outOfMemory.ts';
import { discardFormerStay } from '../migration/formerStay.ts';
import { guestProcesses } from '../shutdown/guestProcesses.ts';
import { CRASHED, type Decision, isDomainActive, isStartingUp } from './decide.ts';
import { confineGuest, describeDomain } from './describeDomain.ts';
import { destroy } from './destroy.ts';
import { explainDiskLock } from './diskLock.ts';
import type { LocalVmi } from './localVmi.ts';
import { endedPodStatus, outOfMemoryPodStatus, SIMULATED_CRASH } from './podStatus.ts';
import { prepare } from './prepare.ts';
import { removeRemains } from './remains.ts';
import type { StatusWriter } from './statusWriter.ts';
import { sync } from './sync.ts';
import { endedStatus } from './vmiStatus.ts';

/** Carries a decision out. */
export async function act(
  decision: Decision,
  local: LocalVmi,
  context: NodeContext,
  writer: StatusWriter,
): Promise<Result | undefined> {
  switch (decision.action) {
    case 'nothing':
      return undefined;
    case 'prepare':
      return prepare(local, context, writer);
    case 'crashLauncher':
      return crashLauncher(local, context, writer);
    case 'start':
      return start(local, context, writer);
    case 'sync':
      return sync(local, context, writer);
    case 'end':
      // libvirt may have lost a guest that runs; its VM must not be started again while it does.
      if (!local.domain && (await hasProcess(local, context))) return { requeueAfterMs: LOST_GUEST_MS };
      return end(local, decision.phase, decision.why, context, writer);
    case 'shutdown':
      await shutdown(local, decision.remainingMs, context);
      return { requeueAfterMs: decision.againAfterMs };
    case 'waitForShutdown':
      return { requeueAfterMs: decision.againAfterMs };
    case 'destroy':
      return destroy(local, context);
    case 'discard':
      return context.migrations.incoming.discard(local);
    case 'releaseLauncher':
      return releaseLauncher(local, context, writer);
    case 'cleanUp':
      return cleanUp(local, decision.launcher, context, writer);
    case 'prepareTarget':
      context.migrations.prepareReception();
      if (local.pod) await discardFormerStay(local, local.pod, context);
      return prepare(local, context, writer);
    case 'receive':
      return context.migrations.receive(local, writer);
    case 'takeOver':
      return context.migrations.takeOver(local, writer);
    case 'settleMove':
      return context.migrations.settle(local, writer);
    case 'confirmArrival':
      return context.migrations.confirmArrival(local, writer);
    case 'goOn':
      if (local.domain) await context.migrations.goOn({ domain: local.domain });
      return undefined;
  }
}

const LOST_GUEST_MS = 2_000;

async function hasProcess({ key, vmi, cache }: LocalVmi, context: NodeContext): Promise<boolean> {
  const { layout, log, recorder, host } = context;
  const process = (await guestProcesses(layout)).find((each) => each.key === key);
  if (vmi && process && cache.reportedPid !== process.pid) {
    cache.reportedPid = process.pid;
    log.warn('libvirt does not know a guest whose process runs', vmi, { pid: process.pid });
    recorder.event(vmi, 'Warning', 'GuestLostByLibvirt', lostMessage(process.pid, host.name));
  }
  return process !== undefined;
}

const lostMessage = (pid: number, node: string): string =>
  `libvirt no longer knows the guest, but its QEMU process ${pid} is running on node ${node}. Vireo cannot control it, ` +
  'and does not start the VM again while it runs. Shut it down from inside the guest, or end it on that host: ' +
  `kill ${pid}`;

/** Whoever deleted the launcher did not ask for the end of the VMI, and could not have known how its guest is. */
async function releaseLauncher(
  { vmi, pod, cache }: LocalVmi,
  { recorder }: NodeContext,
  writer: StatusWriter,
): Promise<undefined> {
  if (!vmi || !pod) return;
  cache.releasedLauncher = pod.metadata.uid;
  await writer.removePod(pod);
  const message = `the launcher pod ${pod.metadata.name} was deleted while the node was unreachable; the guest goes on and gets another`;
  recorder.event(vmi, 'Normal', 'LauncherReleased', message);
}

async function crashLauncher({ pod }: LocalVmi, { clock }: NodeContext, writer: StatusWriter): Promise<undefined> {
  if (pod) await writer.podStatus(pod, endedPodStatus(pod, false, new Date(clock.now()), SIMULATED_CRASH));
}

async function start(local: LocalVmi, context: NodeContext, writer: StatusWriter): Promise<Result | undefined> {
  const { vmi, pod, uid } = local;
  if (!vmi || !pod) return undefined;
  const { libvirt, recorder, domains } = context;
  try {
    const { xml, files } = await describeDomain({ ...local, vmi, pod }, context);
    const defined = await libvirt.calls.defineDomain(xml);
    recorder.event(vmi, 'Normal', 'Created', 'VirtualMachineInstance defined.');
    const flags = vmi.spec.startStrategy === 'Paused' ? StartFlags.PAUSED : 0;
    await libvirt.long.startDomain(defined, flags).catch((error: unknown) => {
      // It was started before, and the answer did not reach us. It has what serves its shares.
      if (!isLibvirtError(error, 'OPERATION_INVALID')) throw error;
      return stopIdleDaemons(files.directory);
    });
    recorder.event(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.');
    await Promise.all([domains.refresh(defined), confineGuest(local, context)]);
  } catch (error) {
    const isForGood = error instanceof LibvirtError || error instanceof ConversionError || error instanceof VolumeError;
    // The daemon was busy with something else; nothing is wrong with the VMI.
    if (isLibvirtError(error, 'OPERATION_TIMEOUT')) throw error;
    if (!isForGood) throw error;
    const message = await explainDiskLock(error.message, uid, context);
    recorder.event(vmi, 'Warning', 'SyncFailed', message);
    return end(local, 'Failed', message, context, writer);
  }
  const domain = domains.get(uid);
  // An earlier start of it may be under way, or have failed; its end comes as a change.
  return isDomainActive(domain?.state) && !isStartingUp(domain?.state)
    ? sync({ ...local, domain }, context, writer)
    : undefined;
}

async function end(
  local: LocalVmi,
  phase: 'Succeeded' | 'Failed',
  cause: string,
  { recorder, clock, groups, fence }: NodeContext,
  writer: StatusWriter,
): Promise<undefined> {
  const { vmi } = local;
  if (!vmi) return;
  const fenced = fence.whyEnded(local.uid);
  const memory = phase === 'Failed' && !fenced ? await endedForMemory(local, groups) : undefined;
  const why = fenced ?? memory ?? cause;
  const status = endedStatus(vmi, phase, why, new Date(clock.now()));
  await writer.vmiStatus(vmi, memory === undefined ? status : { ...status, reason: OOM_KILLED });
  if (phase === 'Succeeded') recorder.event(vmi, 'Normal', 'Stopped', 'The VirtualMachineInstance was shut down.');
  else if (why === CRASHED) recorder.event(vmi, 'Warning', 'Stopped', 'The VirtualMachineInstance crashed.');
  else recorder.event(vmi, 'Warning', 'Stopped', `The VirtualMachineInstance failed: ${why}`);
}

async function shutdown({ vmi, domain, cache }: LocalVmi, remainingMs: number, context: NodeContext): Promise<void> {
  if (!vmi || !domain) return;
  const { libvirt, domains, recorder, clock } = context;
  // The power button is enough for guests without an agent, and a stuck agent cannot hold it up.
  try {
    await libvirt.calls.shutdownDomain(domain.ref, ShutdownFlags.ACPI_POWER_BUTTON);
  } catch (error) {
    // It ended by itself in the meantime.
    if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    return domains.refresh(domain.ref);
  }
  if (cache.shutdownAskedAtMs === 0) recorder.event(vmi, 'Normal', 'ShuttingDown', 'Signaled Graceful Shutdown');
  // It did not react at once. Said once: later presses are the same wait.
  else if (!cache.isWaitReported && remainingMs > LONG_WAIT_MS) {
    cache.isWaitReported = true;
    recorder.event(vmi, 'Normal', 'WaitingForShutdown', waitMessage(vmi, remainingMs));
  }
  cache.shutdownAskedAtMs = clock.now();
}

/** From here on somebody may want to know how to end the wait. */
const LONG_WAIT_MS = 10_000;

const waitMessage = ({ metadata: { name, namespace } }: Vmi, remainingMs: number): string =>
  `waiting up to ${Math.ceil(remainingMs / 1000)} s for the guest to shut down; ` +
  `to power it off now: kubectl delete vmi ${name} -n ${namespace} --grace-period=0 --force`;

async function cleanUp(
  local: LocalVmi,
  launcher: 'Succeeded' | 'Failed' | undefined,
  context: NodeContext,
  writer: StatusWriter,
): Promise<undefined> {
  const { key, uid, vmi, pod, domain, files, cache } = local;
  if (!(await context.migrations.incoming.withdraw(local, writer))) return;
  await context.migrations.forget(uid);
  if (domain) await undefine(local, context);
  const isStaying = pod !== undefined && !isDeleting(pod);
  // The log goes by name: a successor may have it already. It goes before the files, which tell after a crash that
  // something is left to be removed.
  if (!isStaying && context.domains.ofKey(key).length === 0) await removeDomainLog(context.layout, key);
  await removeRemains(uid, files, { log: isStaying }, context);
  // Disks that are being made are there when they are ready; then this comes again.
  const isMaking = cache.preparation !== undefined && !cache.preparation.isSettled;
  if (cache.preparation) cache.preparation.isReported = true;
  cache.hasFiles = isStaying || isMaking;
  if (!pod) return;
  if (!isStaying) await writer.removePod(pod);
  else if (launcher)
    await writer.podStatus(pod, endedPodStatus(pod, launcher === 'Succeeded', new Date(context.clock.now())));
  else if (vmi && isFinal(vmi)) {
    const now = new Date(context.clock.now());
    const { phase, reason } = vmi.status ?? {};
    const status =
      reason === OOM_KILLED ? outOfMemoryPodStatus(pod, now) : endedPodStatus(pod, phase === 'Succeeded', now);
    await writer.podStatus(pod, status);
  }
}

async function undefine({ domain }: LocalVmi, { libvirt, domains }: NodeContext): Promise<void> {
  if (!domain) return;
  // What firmware remembers goes with the VMI's files, unless it is kept on a claim.
  const kept = UndefineFlags.KEEP_NVRAM | UndefineFlags.KEEP_TPM;
  const all = UndefineFlags.MANAGED_SAVE | UndefineFlags.SNAPSHOTS_METADATA | UndefineFlags.CHECKPOINTS_METADATA;
  try {
    await libvirt.calls.undefineDomain(domain.ref, all | kept);
  } catch (error) {
    if (!isLibvirtError(error, 'NO_DOMAIN')) throw error;
  }
  await domains.refresh(domain.ref);
}
