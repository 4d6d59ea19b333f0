import { ControllerRevision, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { Expectations, enqueueKey, keyOf, ownerKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import { claimVolumes, type Disks } from '../claims.ts';
import type { ControllerContext } from '../context.ts';
import { isControlledBy, isDeleting, ownersOf, Vm, Vmi } from '../kinds.ts';
import { snapshotClassOf } from '../snapshot/volumes.ts';
import { cachedStorage } from '../snapshot/world.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '../wellKnown.ts';
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
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const vms = informers.for(Vm, {
    indexes: { claim: ({ metadata, spec }) => claimKeys(metadata.namespace, spec), type: typeKeys },
  });
  const vmis = informers.for(Vmi);
  const revisions = informers.for(ControllerRevision, { indexes: { owner: ownersOf } });
  const claims = informers.for(PersistentVolumeClaim);
  const dataVolumes = informers.for(DataVolume);
  const kept = cachedStorage(informers);
  const queue = new WorkQueue({ clock });
  const expectations = new Expectations(clock);
  const settings = informers.for(KubeVirt, { namespace: KUBEVIRT_NAMESPACE });
  const config = () => clusterConfig(settings.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`));
  const types = cachedTypes(informers, client);
  const act = vmActions(client, recorder, expectations, (key) => vmis.get(key));
  /** Since when a change of status waits, by key. */
  const waiting = new Map<string, number>();

  vms.on(enqueueKey(queue));
  const seen = (vmi: Vmi) => {
    const key = ownerKey(vmi, Vm);
    if (key === undefined) return;
    if (isDeleting(vmi)) expectations.deletionObserved(key, vmi.metadata.uid ?? '');
    queue.add(key);
  };
  vmis.on({
    added: (vmi) => {
      expectations.creationObserved(ownerKey(vmi, Vm));
      seen(vmi);
    },
    updated: (_, vmi) => seen(vmi),
    deleted: (vmi) => {
      expectations.deletionObserved(ownerKey(vmi, Vm), vmi.metadata.uid ?? '');
      seen(vmi);
    },
  });
  const onDisk = (disk: KubeObject) => {
    for (const vm of vms.byIndex('claim', keyOf(disk))) queue.add(keyOf(vm));
  };
  for (const informer of [claims, dataVolumes])
    informer.on({ added: onDisk, updated: (_, disk) => onDisk(disk), deleted: onDisk });

  types.onChange((key) => {
    for (const vm of vms.byIndex('type', key)) queue.add(keyOf(vm));
  });

  await runController(
    {
      name: 'virtualmachine',
      queue,
      informers: [vms, vmis, revisions, claims, dataVolumes, settings, ...types.informers, ...kept.informers],
      concurrency: CONCURRENCY,
      log,
      metrics,
      reconcile: async (key) => {
        const known = vms.get(key);
        if (!known) {
          expectations.forget(key);
          waiting.delete(key);
          return undefined;
        }
        // The cache does not show yet what we did; it will, and then the key comes again.
        if (!expectations.isSatisfied(key)) return undefined;
        const found = vmis.get(key);
        const vmi = found && isControlledBy(found, known) ? found : undefined;
        const own = revisions.byIndex('owner', known.metadata.uid ?? '');
        const started = vmi && startedSpec(vmi, own);
        const world = { client, lookup: types, config, recorder, act };
        const { vm, typed } = await syncTypes(known, started, world);
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
            isKeepable: (name) => {
              const claim = disks.claim(name);
              return claim !== undefined && snapshotClassOf(claim, kept.of(vm.metadata.namespace)) !== undefined;
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
    signal,
  );
}

const claimKeys = (namespace: string | undefined, { template, dataVolumeTemplates = [] }: Vm['spec']): string[] => {
  const claims = claimVolumes(template.spec?.volumes).map(({ claim }) => claim);
  const templates = dataVolumeTemplates.map(({ metadata }) => metadata?.name ?? '');
  return [...new Set([...claims, ...templates])].map((name) => `${namespace}/${name}`);
};
