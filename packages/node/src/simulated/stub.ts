import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isPaused, isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { diskLetters } from '@vireo/hypervisor';
import type { DomainState } from '@vireo/libvirt';
import type { MigrationState } from '../migration/role.ts';
import type { DomainView } from '../vmi/domainView.ts';
import { macAddress } from '../vmi/networks.ts';
import { durationMs, STAGES, type Stage, type StageName } from './stages.ts';

/** What stands for a guest: what it is, and what it is about to be. */
export interface Stub {
  readonly domain: DomainState | undefined;
  readonly isPrepared: boolean;
  readonly pending?: { readonly stage: StageName; readonly dueMs: number } | undefined;
  readonly startedAtMs: number;
  readonly shutdownAskedAtMs: number;
  /** Whether the migration that was begun last has brought everything to its target. */
  readonly isCopied?: boolean;
}

/** What was before us: a VM that ran goes on, as a real guest would when its node's agent comes back. */
export function adoptStub(vmi: VirtualMachineInstance | undefined, nowMs: number): Stub {
  const { becomes: domain } = isPaused(vmi) ? STAGES.startPaused : STAGES.start;
  const isPrepared = isRunning(vmi) || isUnknown(vmi);
  return { domain: isPrepared ? domain : undefined, isPrepared, startedAtMs: nowMs, shutdownAskedAtMs: 0 };
}

/** The stub at this moment: a stage whose time is over has happened. */
export function advance(stub: Stub, nowMs: number): Stub {
  const { pending } = stub;
  if (!pending || pending.dueMs > nowMs) return stub;
  const { becomes }: Stage = STAGES[pending.stage];
  const isStart = pending.stage === 'start' || pending.stage === 'startPaused';
  return {
    ...stub,
    pending: undefined,
    isPrepared: true,
    isCopied: pending.stage === 'migrate',
    domain: becomes ?? stub.domain,
    startedAtMs: isStart ? pending.dueMs : stub.startedAtMs,
  };
}

/** The stub on its way through a stage, which may take longer than others do. One that has begun is not begun again. */
export function beginStage(stub: Stub, stage: StageName, uid: string, nowMs: number, leastMs = 0): Stub {
  if (stub.pending?.stage === stage) return stub;
  const asked = stage === 'shutdown' ? { shutdownAskedAtMs: nowMs } : {};
  return { ...stub, ...asked, pending: { stage, dueMs: nowMs + Math.max(durationMs(stage, uid), leastMs) } };
}

const MIB = 1024 * 1024;

/** How long the memory of a guest is copied where the bandwidth is limited; libvirt takes no less than 1 MiB a second. */
export function copyMs({ spec }: VirtualMachineInstance, { migrationConfiguration }: MigrationState): number {
  const bytesPerSecond = Number(toBytes(String(migrationConfiguration?.bandwidthPerMigration ?? '0')));
  const { memory, resources } = spec.domain;
  const bytes = Number(toBytes(memory?.guest ?? String(resources?.requests?.memory ?? '0')));
  return bytesPerSecond > 0 ? (1000 * bytes) / Math.max(MIB, bytesPerSecond) : 0;
}

/** What libvirt would tell of it. */
export function stubView(vmi: VirtualMachineInstance): DomainView {
  const { devices, machine } = vmi.spec.domain;
  const disks = (devices?.disks ?? []).map(({ name }, index) => [name, `vd${diskLetters(index)}`] as const);
  const cards = (devices?.interfaces ?? []).filter(({ state }) => state !== 'absent');
  const interfaces = cards.map(({ name, macAddress: own, state }) => {
    const mac = own ?? macAddress(vmi, name);
    return [name, { mac, linkState: state === 'down' ? 'down' : 'up', queueCount: 1 }] as const;
  });
  return {
    machineType: machine?.type,
    diskTargets: Object.fromEntries(disks),
    drives: {},
    interfaces: Object.fromEntries(interfaces),
    isAgentConnected: false,
  };
}
