import { type KubeObject, StorageClass } from '@vireo/api';
import { CDI } from '@vireo/api/kinds/cdi/cdi.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { TRUST_MS, uploadTrust } from '../shared/uploadTrust.ts';
import { CONFIG, INSTALLATION, LOCAL_CLASS, reconcileInstallation, reconcileProfile } from './reconcile.ts';

/** Before the name of a StorageClass: the key of its profile. */
const CLASS = 'class:';

/** Keeps the objects by which tools find an importer and ask what it can do: its installation, settings and profiles. */
export async function startImporterController(
  context: ControllerContext & { readonly uploadUrl?: string },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, uploadUrl, clock = systemClock } = context;
  const installations = informers.for(CDI);
  const configs = informers.for(CDIConfig);
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const snapshotClasses = informers.for(VolumeSnapshotClass);
  const classKey = ({ metadata }: KubeObject): string => `${CLASS}${metadata.name}`;
  const classesOf = ({ driver }: VolumeSnapshotClass): string[] =>
    classes
      .list()
      .filter(({ provisioner }) => provisioner === driver)
      .map(classKey);

  await runController(
    {
      name: 'importer',
      watches: [
        watch([installations, configs], () => INSTALLATION),
        watch([classes, profiles], classKey),
        watch(snapshotClasses, { added: classesOf }),
      ],
      initialKeys: () => [INSTALLATION],
      reconcile: async (key) => {
        if (!key.startsWith(CLASS)) {
          const installation = installations.get(INSTALLATION);
          const hasLocalSnapshotClass = snapshotClasses.get(LOCAL_CLASS) !== undefined;
          const now = new Date(clock.now());
          const upload = { url: uploadUrl, trust: await uploadTrust(client) };
          await reconcileInstallation(
            { installation, config: configs.get(CONFIG), hasLocalSnapshotClass, upload, now },
            client,
          );
          return { requeueAfterMs: TRUST_MS };
        }
        const name = key.slice(CLASS.length);
        const [storageClass, profile] = [classes.get(name), profiles.get(name)];
        await reconcileProfile({ name, storageClass, profile, snapshotClasses: snapshotClasses.list() }, client);
        return undefined;
      },
    },
    context,
    signal,
  );
}
