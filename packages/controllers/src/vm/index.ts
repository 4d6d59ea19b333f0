import { ControllerRevision, isControlledBy, type KubeObject, ownersOf, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, Expectations, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { claimsToStart, type Disks } from '../claims.ts';
import { cachedTypes, typeKeys } from '../instancetypes/lookup.ts';
import { syncTypes } from '../instancetypes/sync.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { snapshotClassOf } from '../snapshot/volumes.ts';
import { vmActions } from './act.ts';
import { storageState } from './dataVolumes.ts';
import { reconcileVm } from './reconcile.ts';
import { startedSpec } from './revision.ts';
import { isSetToStart } from './runStrategy.ts';

const CONCURRENCY = 8;

/** Runs VMs as their run strategies say: creates and deletes their VMIs, and tells how they are doing. */
export async function startVmController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const vms = informers.for(Vm, {
    indexes: { claim: ({ metadata, spec }) => claimKeys(metadata.namespace, spec), type: typeKeys },
  });
  const vmis = informers.for(Vmi);
  const revisions = informers.for(ControllerRevision, { indexes: { owner: ownersOf } });
  const claims = informers.for(PersistentVolumeClaim);
  const dataVolumes = informers.for(DataVolume);
  const storage = cachedStorage(informers);
  const expectations = new Expectations(clock);
  const { kubevirts, config } = cachedConfig(informers);
  const types = cachedTypes(informers, client);
  const act = vmActions(client, recorder, expectations, (key) => vmis.get(key));
  const usersOf = (disk: KubeObject): string[] => vms.byIndex('claim', keyOf(disk)).map(keyOf);

  await runController(
    {
      name: 'virtualmachine',
      concurrency: CONCURRENCY,
      for: vms,
      owns: [vmis],
      watches: [
        watch([claims, dataVolumes], usersOf),
        ...types.watches((type) => vms.byIndex('type', type).map(keyOf)),
      ],
      reads: [revisions, kubevirts, ...storage.informers],
      expectations,
      reconcile: async (key, { postpone }) => {
        const known = vms.get(key);
        // While the cache does not show what we did: when it does, the key comes again.
        if (!known || !expectations.isSatisfied(key)) return undefined;
        const found = vmis.get(key);
        const vmi = found && isControlledBy(found, known) ? found : undefined;
        const own = revisions.byIndex('owner', known.metadata.uid);
        const started = vmi && startedSpec(vmi, own);
        const typeContext = { client, lookup: types, config, recorder, act };
        const { vm, typed } = await syncTypes(known, started, typeContext);
        const disks: Disks = {
          claim: (name) => claims.get(`${vm.metadata.namespace}/${name}`),
          dataVolume: (name) => dataVolumes.get(`${vm.metadata.namespace}/${name}`),
        };
        return reconcileVm(
          {
            vm,
            vmi,
            revisions: own,
            typed,
            storage: storageState(vm, isSetToStart(vm, vmi), disks),
            disks,
            supportsSnapshots: (name) => {
              const claim = disks.claim(name);
              return claim !== undefined && snapshotClassOf(claim, storage.of(vm.metadata.namespace)) !== undefined;
            },
            config: config(),
            now: new Date(clock.now()),
            random: Math.random,
          },
          act,
          postpone,
        );
      },
    },
    context,
    signal,
  );
}

const claimKeys = (namespace: string | undefined, { template, dataVolumeTemplates = [] }: Vm['spec']): string[] => {
  const claims = claimsToStart(template.spec?.volumes).map(({ claim }) => claim);
  const templates = dataVolumeTemplates.map(({ metadata }) => metadata?.name ?? '');
  return [...new Set([...claims, ...templates])].map((name) => `${namespace}/${name}`);
};
