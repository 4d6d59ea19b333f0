import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import {
  type VirtualMachineInstance,
  VirtualMachineInstance as Vmi,
} from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { type Client, type Clock, type EventRecorder, Informers, keyOf, type Log } from '@vireo/kube';
import { claimDisk } from './claimDisk.ts';
import { cloneSource } from './cloneSource.ts';
import type { VolumeContext } from './context.ts';
import { copyDisk } from './copy.ts';
import { BadImage } from './populate/badImage.ts';
import { mayReadFrom } from './populate/cloneRights.ts';
import { Populator } from './populate/index.ts';
import type { Upload } from './populate/uploads.ts';
import { runProvisioner } from './provision/index.ts';
import { NotReady } from './provision/notReady.ts';
import { VolumeStore } from './store.ts';
import { ClaimUsers, claimIndex } from './users.ts';

export interface VolumesOptions {
  readonly client: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly clock: Clock;
  /** The node's name. */
  readonly node: string;
  /** Where volumes are kept. */
  readonly directory: string;
  /** Whether libvirt has a domain of that uid. */
  readonly hasDomain: (uid: string) => boolean;
  /** An instance, by `namespace/name`, may go on: a claim that it names has changed. */
  readonly wake: (key: string) => void;
}

/** The volumes of this node, as machines use them. */
export interface NodeVolumes {
  /** The disk behind a claim. Throws VolumeError while it cannot be had. */
  claimDisk(
    vmi: VirtualMachineInstance,
    claim: string,
    use: { readonly isReadOnly: boolean; readonly isShareable: boolean },
  ): Promise<DiskSource>;
  /** Fills a claim with what somebody sends. Throws UploadRefusal with what to tell them. */
  upload(upload: Upload): Promise<void>;
  readonly ended: Promise<void>;
}

/** Makes, grows and removes the volumes of this node. Resolves when it knows what is; runs until `signal` aborts. */
export async function startVolumes(options: VolumesOptions, signal: AbortSignal): Promise<NodeVolumes> {
  const { client, recorder, log, clock, node, wake } = options;
  const store = new VolumeStore(options.directory);
  await store.open();
  const directIo = await store.hasDirectIo();
  const informers = new Informers(client, { log, clock });
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const classes = informers.for(StorageClass);
  const vmis = informers.for(Vmi, { indexes: { claim: claimIndex } });
  const users = new ClaimUsers(vmis, options.hasDomain);
  const wakeUsers = (claim: PersistentVolumeClaim): void => users.keys(keyOf(claim)).forEach(wake);
  claims.on({ updated: (_, claim) => wakeUsers(claim) });
  // Whoever waits for a disk that another had may have it now.
  const vmiEnded = (vmi: VirtualMachineInstance): void => {
    for (const claim of claimIndex(vmi)) users.keys(claim).forEach(wake);
  };
  vmis.on({ deleted: vmiEnded });
  const context: VolumeContext = { client, recorder, log, clock, store, node, claims, volumes, classes };
  const keyOfClaim = ({ spec }: PersistentVolume): string => `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`;
  const provisioner = runProvisioner(
    context,
    {
      isInUse: (volume) => users.user(keyOfClaim(volume)) !== undefined,
      fill: async (claim, origin, sizeBytes) => {
        if (origin.from !== 'claim') return undefined;
        const source = cloneSource(`${claim.metadata.namespace}/${origin.name}`, sizeBytes, context, users);
        return (disk) => copyDisk(source, disk, signal);
      },
      grown: async () => {},
    },
    signal,
  );
  const populator = new Populator(context, {
    copy: async (claim, work, sizeBytes) => {
      if (work.kind === 'restore') throw new NotReady('snapshots cannot be read yet');
      if (!(await mayReadFrom(client, claim, 'pvc', work.claim)))
        throw new BadImage(`nobody with the right to ${work.claim} asked for this copy of it`);
      const source = cloneSource(work.claim, sizeBytes, context, users);
      return (path) => copyDisk(source, path, signal);
    },
  });
  const populating = populator.run(signal);
  informers.start(signal);
  await informers.whenSynced();
  return {
    claimDisk: (vmi, claim, use) => claimDisk(vmi, claim, use, { claims, volumes, node, users, directIo }),
    upload: (upload) => populator.uploads.take(upload),
    ended: Promise.all([provisioner, populating]).then(() => undefined),
  };
}
