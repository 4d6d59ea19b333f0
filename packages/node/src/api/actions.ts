import { conflict } from '@vireo/api';
import { isHandedOff, MIGRATING_FREEZE, MIGRATING_PAUSE } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { LibvirtError, ShutdownFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { listMounts, mountDirectory, unmountDirectory } from '../filesystems/mounts.ts';
import type { Domain } from '../vmi/domainInformer.ts';
import { freeze, thaw } from '../vmi/freeze.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import { filesystemList, guestOsInfo, userList } from './guestAgent.ts';
import { commandStatus, startCommand } from './guestExec.ts';
import { readGuestFile, writeGuestFile } from './guestFiles.ts';
import { releaseTray } from './trays.ts';

/** A VM whose guest is up. */
export type Active = LocalVmi & { readonly vmi: VirtualMachineInstance; readonly domain: Domain };

export interface ActionResponse {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export interface ActionInput {
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** Aborts when whoever asked has gone. */
  readonly signal: AbortSignal;
}

const VMIS = { group: 'kubevirt.io', resource: 'virtualmachineinstance' };

interface Action {
  readonly method: 'GET' | 'PUT';
  /** Whether the VMI has to be reconciled afterwards. */
  readonly changesDomain: boolean;
  run(local: Active, context: NodeContext, input: ActionInput): Promise<ActionResponse>;
}

const json = (value: unknown): ActionResponse => ({ contentType: 'application/json', body: JSON.stringify(value) });

/** Something that is done to a VM; its outcome is seen by the next look. */
const put = (work: (local: Active, context: NodeContext, input: ActionInput) => Promise<unknown>): Action => ({
  method: 'PUT',
  changesDomain: true,
  run: async (local, context, input) => {
    await work(local, context, input);
    await context.domains.refresh(local.domain.ref);
    return json({});
  },
});

/** Something that changes nothing but what is in the guest, if that. */
const ask = (
  method: Action['method'],
  work: (local: Active, context: NodeContext, input: ActionInput) => Promise<unknown>,
): Action => ({
  method,
  changesDomain: false,
  run: async (local, context, input) => json((await work(local, context, input)) ?? {}),
});

/** The extension has asked, too; here nothing comes between the answer and the beginning of a move. */
function refuseWhileMoving({ vmi }: Active, why: string): void {
  if (isHandedOff(vmi)) throw conflict(VMIS, vmi.metadata.name ?? '', why);
}

/** What can be asked of a VM, by the last word of the path. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  pause: put((local, { libvirt }) => {
    refuseWhileMoving(local, MIGRATING_PAUSE);
    return libvirt.calls.suspendDomain(local.domain.ref);
  }),
  unpause: put((local, { libvirt }) => {
    refuseWhileMoving(local, MIGRATING_PAUSE);
    return libvirt.calls.resumeDomain(local.domain.ref);
  }),
  reset: put(({ domain }, { libvirt }) => libvirt.calls.resetDomain(domain.ref)),
  softreboot: put(softReboot),
  freeze: put((local, context, { body }) => {
    refuseWhileMoving(local, MIGRATING_FREEZE);
    const { unfreezeTimeout } = (body ?? {}) as { unfreezeTimeout?: unknown };
    return freeze(local, context, durationMs(unfreezeTimeout));
  }),
  unfreeze: put(thaw),
  'cdroms/release': put(releaseTray),
  mount: put((local, context, { body }) => mountDirectory(local, context, body)),
  unmount: put((local, context, { body }) => unmountDirectory(local, context, body)),
  mounts: ask('GET', listMounts),
  guestosinfo: ask('GET', guestOsInfo),
  userlist: ask('GET', userList),
  filesystemlist: ask('GET', filesystemList),
  exec: ask('PUT', startCommand),
  'exec/status': ask('GET', commandStatus),
  'file/read': ask('GET', readGuestFile),
  'file/write': ask('PUT', writeGuestFile),
  screenshot: {
    method: 'GET',
    changesDomain: false,
    run: async ({ domain }, { libvirt }) => {
      const { mimeType, image } = await libvirt.long.screenshot(domain.ref);
      return { contentType: mimeType, body: image };
    },
  },
};

/** By the agent, or by the power button where the agent cannot: libvirt starts the guest again when it has gone down. */
async function softReboot({ domain }: Active, { libvirt }: NodeContext): Promise<void> {
  const byButton = (): Promise<void> => libvirt.long.rebootDomain(domain.ref, ShutdownFlags.ACPI_POWER_BUTTON);
  if (!domain.view.isAgentConnected) return byButton();
  await libvirt.long.rebootDomain(domain.ref, ShutdownFlags.GUEST_AGENT).catch((error: unknown) => {
    if (!(error instanceof LibvirtError)) throw error;
    return byButton();
  });
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration as Go writes it, such as `5m0s`; 0 where there is none. Numbers are nanoseconds. */
export function durationMs(value: unknown): number {
  if (typeof value === 'number') return value / 1e6;
  if (typeof value !== 'string') return 0;
  let total = 0;
  for (const [, amount, unit = ''] of value.matchAll(/([\d.]+)(ms|s|m|h)/g))
    total += Number(amount) * (UNITS_MS[unit] ?? 0);
  return total;
}
