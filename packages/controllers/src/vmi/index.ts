import {
  type KubeObject,
  Node,
  nodeOfVolume,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { ATTACHMENT_SELECTOR, launcherOf, pluggedClaims } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE, LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ClusterConfig, clusterConfig, hypervisorOf } from '@vireo/hypervisor';
import { Expectations, enqueueKey, keyOf, ownerKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import { claimVolumes, discVolumes } from '../claims.ts';
import type { ControllerContext } from '../context.ts';
import { isControlledBy, isDeleting, isHandedOver, Vm, Vmi } from '../kinds.ts';
import { vmiActions } from './act.ts';
import { offeredResources } from './offered.ts';
import { PATIENCE_MS, reconcileVmi } from './reconcile.ts';
import { currentStateClaim, STATE_LABEL } from './stateClaim.ts';

const CONCURRENCY = 8;

/** Gives instances their launcher pods, hands them over to nodes, and removes what is left of them. */
export async function startVmiController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const vmis = informers.for(Vmi, { indexes: { claim: claimKeys } });
  const vms = informers.for(Vm);
  const pods = informers.for(Pod, { labelSelector: LAUNCHER_SELECTOR, indexes: { owner: ownersOf } });
  const attachments = informers.for(Pod, { labelSelector: ATTACHMENT_SELECTOR, indexes: { owner: ownersOf } });
  const classes = informers.for(StorageClass);
  const claims = informers.for(PersistentVolumeClaim, { indexes: { stateOf: machineOfState } });
  const volumes = informers.for(PersistentVolume);
  const dataVolumes = informers.for(DataVolume);
  const nodes = informers.for(Node);
  const settings = informers.for(KubeVirt, { namespace: KUBEVIRT_NAMESPACE });
  const queue = new WorkQueue({ clock });
  settings.on({
    updated: (before, after) => {
      if (choiceOf(before) === choiceOf(after)) return;
      // Those that wait may be waiting for the hypervisor that was.
      for (const vmi of vmis.list()) if (!isHandedOver(vmi)) queue.add(keyOf(vmi));
    },
  });
  const expectations = new Expectations(clock);
  /** By the uid of the launcher pod. */
  const attachmentExpectations = new Expectations(clock);
  /** Read once for each change of the settings: every look at an instance asks for them. */
  let read: { readonly settings: KubeVirt | undefined; readonly config: ClusterConfig } | undefined;
  const config = (): ClusterConfig => {
    const current = settings.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`);
    if (read?.settings !== current || !read) read = { settings: current, config: clusterConfig(current) };
    return read.config;
  };
  const act = vmiActions(client, recorder, expectations, attachmentExpectations, config, offeredResources(nodes));
  /** Since when a change of status waits, by key. */
  const waiting = new Map<string, number>();

  vmis.on(enqueueKey(queue));
  const enqueueOwner = (pod: Pod) => {
    const key = ownerKey(pod, Vmi);
    if (key !== undefined) queue.add(key);
  };
  pods.on({
    added: (pod) => {
      expectations.creationObserved(ownerKey(pod, Vmi));
      enqueueOwner(pod);
    },
    updated: (_, pod) => enqueueOwner(pod),
    deleted: (pod) => {
      attachmentExpectations.forget(pod.metadata.uid ?? '');
      enqueueOwner(pod);
    },
  });
  const enqueueAttached = (pod: Pod) => {
    const launcher = pods.get(`${pod.metadata.namespace}/${launcherOf(pod)?.name}`);
    if (launcher) enqueueOwner(launcher);
  };
  const attachmentGoes = (pod: Pod) =>
    attachmentExpectations.deletionObserved(launcherOf(pod)?.uid, pod.metadata.uid ?? '');
  attachments.on({
    added: (pod) => {
      attachmentExpectations.creationObserved(launcherOf(pod)?.uid);
      enqueueAttached(pod);
    },
    updated: (_, pod) => {
      if (isDeleting(pod)) attachmentGoes(pod);
      enqueueAttached(pod);
    },
    deleted: (pod) => {
      attachmentGoes(pod);
      enqueueAttached(pod);
    },
  });
  const onDisk = (disk: KubeObject) => {
    for (const vmi of vmis.byIndex('claim', keyOf(disk))) queue.add(keyOf(vmi));
  };
  for (const informer of [claims, dataVolumes])
    informer.on({ added: onDisk, updated: (_, disk) => onDisk(disk), deleted: onDisk });
  // An instance that outlives its machine loses the machine's finalizer to us.
  vms.on({ deleted: (vm) => queue.add(keyOf(vm)) });

  await runController(
    {
      name: 'virtualmachineinstance',
      queue,
      informers: [vmis, vms, pods, attachments, claims, volumes, classes, dataVolumes, nodes, settings],
      concurrency: CONCURRENCY,
      log,
      metrics,
      reconcile: async (key) => {
        const vmi = vmis.get(key);
        if (!vmi) {
          expectations.forget(key);
          waiting.delete(key);
          return undefined;
        }
        // The cache does not show yet what we did; it will, and then the key comes again.
        if (!expectations.isSatisfied(key)) return undefined;
        const vm = vms.get(key);
        const now = clock.now();
        const launchers = pods.byIndex('owner', vmi.metadata.uid ?? '');
        const uids = launchers.map(({ metadata }) => metadata.uid ?? '');
        const areAttachmentsKnown = uids.every((uid) => attachmentExpectations.isSatisfied(uid));
        const result = await reconcileVmi(
          {
            vmi,
            pods: launchers,
            attachments: areAttachmentsKnown
              ? uids.flatMap((uid) => attachments.byIndex('owner', uid).filter((pod) => launcherOf(pod)?.uid === uid))
              : undefined,
            waitsForConsumer: ({ spec }) =>
              classes.get(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer',
            disks: {
              claim: (name) => claims.get(`${vmi.metadata.namespace}/${name}`),
              dataVolume: (name) => dataVolumes.get(`${vmi.metadata.namespace}/${name}`),
            },
            nodeOfClaim: (name) => {
              const volume = volumes.get(claims.get(`${vmi.metadata.namespace}/${name}`)?.spec?.volumeName ?? '');
              return volume && nodeOfVolume(volume);
            },
            stateClaim: currentStateClaim(claims.byIndex('stateOf', key)),
            hasMachine: vm !== undefined && isControlledBy(vmi, vm),
            nodes: () => nodes.list(),
            config: config(),
            now: new Date(now),
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

/** What runs new machines by these settings. */
function choiceOf(settings: KubeVirt): string {
  const config = clusterConfig(settings);
  return config.missingHypervisor ?? hypervisorOf(config);
}

const claimKeys = ({ metadata, spec }: Vmi): string[] =>
  [...claimVolumes(spec.volumes), ...discVolumes(spec), ...pluggedClaims(spec)].map(
    ({ claim }) => `${metadata.namespace}/${claim}`,
  );

const ownersOf = ({ metadata }: KubeObject): string[] =>
  (metadata.ownerReferences ?? []).filter(({ controller }) => controller).map(({ uid }) => uid);

const machineOfState = ({ metadata }: PersistentVolumeClaim): string[] => {
  const machine = metadata.labels?.[STATE_LABEL];
  return machine === undefined ? [] : [`${metadata.namespace}/${machine}`];
};
