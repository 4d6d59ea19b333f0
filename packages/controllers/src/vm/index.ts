import { ControllerRevision, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { type ControllerContext, Expectations, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { claimVolumes, type Disks } from '../claims.ts';
import { isControlledBy, ownersOf, Vm, Vmi } from '../kinds.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { snapshotClassOf } from '../snapshot/volumes.ts';
import { vmActions } from './act.ts';
import { storageState } from './dataVolumes.ts';
import { cachedTypes, typeKeys } from './instancetype/lookup.ts';
import { syncTypes } from './instancetype/sync.ts';
import { PATIENCE_MS, reconcileVm } from './reconcile.ts';
import { startedSpec } from './revision.ts';
import { isSetToStart } from './runStrategy.ts';

const CONCURRENCY = 8;

/** Runs machines as their run strategies say: creates and deletes their instances, and tells how they are doing. */
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
  const settings = informers.for(KubeVirt, { namespace: KUBEVIRT_NAMESPACE });
  const config = () => clusterConfig(settings.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`));
  const types = cachedTypes(informers, client);
  const act = vmActions(client, recorder, expectations, (key) => vmis.get(key));
  /** Since when a change of status waits, by key. */
  const waiting = new Map<string, number>();

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
      reads: [revisions, settings, ...storage.informers],
      expectations,
      reconcile: async (key) => {
        const known = vms.get(key);
        if (!known) {
          waiting.delete(key);
          return undefined;
        }
        // The cache does not show yet what we did; it will, and then the key comes again.
        if (!expectations.isSatisfied(key)) return undefined;
        const found = vmis.get(key);
        const vmi = found && isControlledBy(found, known) ? found : undefined;
        const own = revisions.byIndex('owner', known.metadata.uid ?? '');
        const started = vmi && startedSpec(vmi, own);
        const typeContext = { client, lookup: types, config, recorder, act };
        const { vm, typed } = await syncTypes(known, started, typeContext);
        const disks: Disks = {
          claim: (name) => claims.get(`${vm.metadata.namespace}/${name}`),
          dataVolume: (name) => dataVolumes.get(`${vm.metadata.namespace}/${name}`),
        };
        const now = clock.now();
        const result = await reconcileVm(
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
            now: new Date(now),
            random: Math.random,
          },
          act,
          () => {
            const since = waiting.get(key) ?? now;
            waiting.set(key, since);
            return now - since >= PATIENCE_MS;
          },
        );
        if (result?.requeueAfterMs === undefined) waiting.delete(key);
        return result;
      },
    },
    context,
    signal,
  );
}

const claimKeys = (namespace: string | undefined, { template, dataVolumeTemplates = [] }: Vm['spec']): string[] => {
  const claims = claimVolumes(template.spec?.volumes).map(({ claim }) => claim);
  const templates = dataVolumeTemplates.map(({ metadata }) => metadata?.name ?? '');
  return [...new Set([...claims, ...templates])].map((name) => `${namespace}/${name}`);
};
