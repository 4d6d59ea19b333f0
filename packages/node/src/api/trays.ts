import { conflict } from '@vireo/api';
import { pause } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { driveCache, trayLocked } from '../vmi/media.ts';
import { isTrayLocked, pressEject } from '../vmi/tray.ts';
import type { ActionInput, Active } from './actions.ts';

/** How long a guest has to let go of a disc when the button is pressed. */
const TIMEOUT_MS = 2_000;
const POLL_MS = 100;
/** How long a forced change may take to come: by then it is in the spec of the VMI, or was given up. */
const FORCE_MS = 60_000;

interface ReleaseOptions {
  readonly name?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Makes sure that the medium of a CD-ROM drive can be changed, before anybody writes that it is to be. A guest that
 * holds the tray shut is asked to open it. With `force` it is not asked, and the next change opens the tray itself.
 */
export async function releaseTray(local: Active, context: NodeContext, { body }: ActionInput): Promise<void> {
  const { name = '', force = false, dryRun = false } = (body ?? {}) as ReleaseOptions;
  const { ref, view } = local.domain;
  const { libvirt, clock } = context;
  if (!Object.hasOwn(view.drives, name)) return;
  if (force) {
    if (!dryRun) driveCache(local, name).forcedUntilMs = clock.now() + FORCE_MS;
    return;
  }
  const isLocked = (): Promise<boolean> => isTrayLocked(libvirt.calls, ref, name);
  if (!(await isLocked())) return;
  if (!dryRun) await pressEject(libvirt.calls, ref, name);
  for (const deadline = clock.now() + TIMEOUT_MS; !dryRun && clock.now() < deadline; ) {
    await pause(POLL_MS, new AbortController().signal, clock);
    if (!(await isLocked())) return;
  }
  const vmis = { group: 'kubevirt.io', resource: 'virtualmachineinstances' };
  throw conflict(vmis, local.vmi.metadata.name, trayLocked(name).message);
}
