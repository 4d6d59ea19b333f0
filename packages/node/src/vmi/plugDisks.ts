import { attachmentOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { ConversionError, convertDisk } from '@vireo/hypervisor';
import { DeviceFlags, isLibvirtError, LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { grantDisk } from '../guests/disks.ts';
import { type HotplugPlan, type HotplugProblems, hotplugClaim } from '../volumes/hotplug.ts';
import { waitForAttachment } from './attachmentWait.ts';
import { explainDiskLock } from './diskLock.ts';
import { launcherOptions } from './launcher.ts';
import type { RunningVmi } from './localVmi.ts';
import { beginDetach } from './unpluggedDisks.ts';

/** Plugs volumes in and takes them out; what keeps some from coming. They come and go as changes of the domain. */
export async function plugDisks(
  local: RunningVmi,
  { attach, detach }: HotplugPlan,
  context: NodeContext,
): Promise<HotplugProblems> {
  const { vmi, pod, domain, files, uid, attachments } = local;
  const { libvirt, volumes, host, recorder, domains } = context;
  const hotplugProblems: Record<string, HotplugProblems[string]> = {};
  for (const name of detach) {
    if (!(await beginDetach(local, name, context))) continue;
    await libvirt.calls
      .detachDeviceByAlias(domain.ref, `ua-${name}`, DeviceFlags.LIVE)
      .then(() => recorder.event(vmi, 'Normal', 'VolumeUnplugged', `Volume ${name} has been unplugged`))
      .catch((error: unknown) => {
        // The guest was asked before and has not let go yet, or the disk has just gone.
        if (!(error instanceof LibvirtError)) throw error;
      });
  }
  for (const volume of attach) {
    const { name, persistentVolumeClaim } = volume;
    const claim = hotplugClaim(volume);
    if (!attachmentOf(attachments, { volume: name, claim })) {
      hotplugProblems[name] = waitForAttachment(local, name, claim, context);
      continue;
    }
    local.cache.awaited.delete(name);
    const disk = vmi.spec.domain.devices?.disks?.find((each) => each.name === name);
    let path: string | undefined;
    try {
      const isReadOnly = persistentVolumeClaim?.readOnly ?? false;
      const source = await volumes.claimDisk(vmi, claim, { isReadOnly, isShareable: disk?.shareable ?? false });
      path = source.path;
      if (local.user) await grantDisk(vmi, name, source, context);
      const xml = convertDisk(
        vmi,
        name,
        {
          ...launcherOptions(pod),
          architecture: host.architecture,
          domainUuid: uid,
          volumes: { [name]: source },
          interfaces: {},
          paths: files.paths,
        },
        Object.values(domain.view.diskTargets),
      );
      await libvirt.long.attachDevice(domain.ref, xml, DeviceFlags.LIVE);
      recorder.event(vmi, 'Normal', 'VolumeReady', `Successfully attach hotplugged volume ${name} to VM`);
      local.cache.unplugged.delete(source.path);
    } catch (error) {
      if (error instanceof VolumeError) {
        hotplugProblems[name] = { phase: 'AttachedToNode', reason: 'PVCNotReady', message: error.message };
      } else if (error instanceof LibvirtError || error instanceof ConversionError) {
        if (isLibvirtError(error, 'OPERATION_TIMEOUT')) throw error;
        const message = await explainDiskLock(error.message, uid, context, path);
        hotplugProblems[name] = { phase: 'MountedToPod', reason: 'HotplugFailed', message };
        if (vmi.status?.volumeStatus?.find((each) => each.name === name)?.message !== message)
          recorder.event(vmi, 'Warning', 'HotplugFailed', `Volume ${name}: ${message}`);
      } else throw error;
    }
  }
  await domains.refresh(domain.ref);
  return hotplugProblems;
}
