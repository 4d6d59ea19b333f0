import { ConfigMap, ownersOf, PersistentVolumeClaim } from '@vireo/api';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { DiskSet } from './kind.ts';
import { reconcileDiskSet } from './reconcile.ts';

/** Keeps as many claims as each DiskSet wants. */
export async function startDiskSetController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const sets = informers.for(DiskSet, { indexes: { sizeFrom: (set) => [sizeKey(set)] } });
  const claims = informers.for(PersistentVolumeClaim, { indexes: { owner: ownersOf } });
  const maps = informers.for(ConfigMap);
  await runController(
    {
      name: 'diskset',
      for: sets, // a DiskSet that changes is reconciled,
      owns: [claims], // and so is the owner of a claim that changes,
      watches: [watch(maps, (map) => sets.byIndex('sizeFrom', keyOf(map)).map(keyOf))], // and whoever names a ConfigMap
      reconcile: async (key) => {
        const set = sets.get(key);
        if (!set) return;
        const size = maps.get(sizeKey(set))?.data?.size;
        await reconcileDiskSet(set, claims.byIndex('owner', set.metadata.uid), size, client);
      },
    },
    context,
    signal,
  );
}

const sizeKey = ({ metadata, spec }: DiskSet): string => `${metadata.namespace}/${spec.sizeFrom}`;
