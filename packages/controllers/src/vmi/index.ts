import {
  isControlledBy,
  isDeleting,
  type KubeObject,
  Node,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { reachesVolume } from '@vireo/api/kinds/core/nodeMatch.ts';
import { ATTACHMENT_SELECTOR, launcherOf, pluggedClaims } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { heldStartsReason } from '@vireo/api/kinds/kubevirt/restored.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isHandedOver, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { clusterConfig, hypervisorOf } from '@vireo/hypervisor';
import {
  type ControllerContext,
  Expectations,
  keyOf,
  ownerKey,
  runController,
  systemClock,
  type WatchHandlers,
  watch,
} from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { claimsToStart, discVolumes, unusableReason } from '../claims.ts';
import { PODS_BY_CONTROLLER } from '../podsByController.ts';
import { VMIS_BY_NODE } from '../vmisByNode.ts';
import { vmiActions } from './act.ts';
import { allocatableResources } from './allocatableResources.ts';
import { backendStorageClaimKeys, currentBackendStorageClaim } from './backendStorage.ts';
import { reconcileVmi } from './reconcile.ts';
import { VsockCids } from './vsockCids.ts';

const CONCURRENCY = 8;

/** Gives VMIs their launcher pods, hands them over to nodes, and removes what is left of them. */
export async function startVmiController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const vmis = informers.for(Vmi, { indexes: { claim: claimKeys, ...VMIS_BY_NODE } });
  const vms = informers.for(Vm);
  const pods = informers.for(Pod, {
    labelSelector: LAUNCHER_SELECTOR,
    indexes: PODS_BY_CONTROLLER,
  });
  const attachments = informers.for(Pod, { labelSelector: ATTACHMENT_SELECTOR, indexes: PODS_BY_CONTROLLER });
  const classes = informers.for(StorageClass);
  const claims = informers.for(PersistentVolumeClaim, { indexes: { stateOf: backendStorageClaimKeys } });
  const volumes = informers.for(PersistentVolume);
  const dataVolumes = informers.for(DataVolume);
  const nodes = informers.for(Node);
  const { kubevirts, config } = cachedConfig(informers);
  const expectations = new Expectations(clock);
  /** By the uid of the launcher pod. */
  const attachmentExpectations = new Expectations(clock);
  const act = vmiActions(client, recorder, expectations, attachmentExpectations, config, allocatableResources(nodes));
  const vsockCids = new VsockCids(vmis);
  const usersOf = (disk: KubeObject): string[] => vmis.byIndex('claim', keyOf(disk)).map(keyOf);
  const attachedTo = (attachment: Persisted<Pod>): string | undefined => {
    const launcher = pods.get(`${attachment.metadata.namespace}/${launcherOf(attachment)?.name}`);
    return launcher && ownerKey(launcher, Vmi);
  };
  const notHandedOver = (): string[] =>
    vmis
      .list()
      .filter((vmi) => !isHandedOver(vmi))
      .map(keyOf);

  await runController(
    {
      name: 'virtualmachineinstance',
      concurrency: CONCURRENCY,
      for: vmis,
      owns: [pods],
      expectations,
      watches: [
        watch(pods, { deleted: ({ metadata }) => void attachmentExpectations.forget(metadata.uid) }),
        watch(attachments, observedBy(attachmentExpectations)),
        watch(attachments, attachedTo),
        watch([claims, dataVolumes], usersOf),
        // Launchers that were lost with a Node can be made anew when the Node is back.
        watch(nodes, { added: ({ metadata }) => vmis.byIndex('node', metadata.name).map(keyOf) }),
        // A VMI that outlives its VM loses the VM's finalizer to us.
        watch(vms, { deleted: keyOf }),
        // Those that wait may be waiting for the hypervisor that was, or for an administrator's word.
        watch(kubevirts, {
          updated: (old, now) =>
            choiceOf(old) === choiceOf(now) && heldStartsReason(old) === heldStartsReason(now) ? [] : notHandedOver(),
        }),
      ],
      reads: [volumes, classes, nodes],
      reconcile: async (key, { postpone }) => {
        const vmi = vmis.get(key);
        // While the cache does not show what we did: when it does, the key comes again.
        if (!vmi || !expectations.isSatisfied(key)) return undefined;
        const vm = vms.get(key);
        const launchers = pods.byIndex('controller', vmi.metadata.uid);
        const uids = launchers.map(({ metadata }) => metadata.uid);
        const areAttachmentsKnown = uids.every((uid) => attachmentExpectations.isSatisfied(uid));
        return reconcileVmi(
          {
            vmi,
            pods: launchers,
            attachments: areAttachmentsKnown
              ? uids.flatMap((uid) =>
                  attachments.byIndex('controller', uid).filter((pod) => launcherOf(pod)?.uid === uid),
                )
              : undefined,
            waitsForConsumer: ({ spec }) =>
              classes.get(spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer',
            disks: {
              claim: (name) => claims.get(`${vmi.metadata.namespace}/${name}`),
              dataVolume: (name) => dataVolumes.get(`${vmi.metadata.namespace}/${name}`),
            },
            isReachable: (name, nodeName) => {
              const volume = volumes.get(claims.get(`${vmi.metadata.namespace}/${name}`)?.spec?.volumeName ?? '');
              const node = nodes.get(nodeName);
              return volume !== undefined && node !== undefined && reachesVolume(node, volume);
            },
            unusableReason: (name) => {
              const claim = claims.get(`${vmi.metadata.namespace}/${name}`);
              const { volumeName = '', storageClassName = '' } = claim?.spec ?? {};
              return claim && unusableReason(claim, volumes.get(volumeName), classes.get(storageClassName));
            },
            backendStorageClaim: currentBackendStorageClaim(claims.byIndex('stateOf', key)),
            hasVm: vm !== undefined && isControlledBy(vmi, vm),
            nodes: () => nodes.list(),
            hasNode: (name) => nodes.get(name) !== undefined,
            config: config(),
            missingVsockCid: vsockCids.missing(vmi),
            heldStarts: kubevirts.list().flatMap((each) => heldStartsReason(each) ?? [])[0],
            now: new Date(clock.now()),
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

/** Notes, for the launcher of an attachment pod, that the pod came or goes. */
function observedBy(expectations: Expectations): WatchHandlers<Pod> {
  const goes = (pod: Persisted<Pod>) => void expectations.deletionObserved(launcherOf(pod)?.uid, pod.metadata.uid);
  return {
    added: (pod) => void expectations.creationObserved(launcherOf(pod)?.uid),
    updated: (_, pod) => (isDeleting(pod) ? goes(pod) : undefined),
    deleted: goes,
  };
}

/** What runs new VMs by these settings. */
function choiceOf(settings: KubeVirt): string {
  const config = clusterConfig(settings);
  return config.missingHypervisor ?? hypervisorOf(config);
}

const claimKeys = ({ metadata, spec }: Vmi): string[] =>
  [...claimsToStart(spec.volumes), ...discVolumes(spec), ...pluggedClaims(spec)].map(
    ({ claim }) => `${metadata.namespace}/${claim}`,
  );
