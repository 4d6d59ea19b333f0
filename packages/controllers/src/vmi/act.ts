import { conditionsPatch, isReason, type Persisted, PersistentVolumeClaim, Pod, timestamp } from '@vireo/api';
import { launcherOf, type PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import { isActive, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { withCurrentVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { ClusterConfig, LauncherResources } from '@vireo/hypervisor';
import {
  type Client,
  type Expectations,
  ignoreNotFound,
  isNamespaceTerminating,
  keyOf,
  type MergePatch,
  type Recorder,
} from '@vireo/kube';
import { type AttachmentOptions, attachmentPod } from './attachmentPod.ts';
import { backendStorageClaim as backendStorageClaimDraft } from './backendStorage.ts';
import { launcherPod } from './launcherPod.ts';

/** The writes of the controller of VMIs. */
export interface VmiActions {
  /** `backendStorageClaim`: the name of the claim that holds what its firmware remembers. */
  createPod(vmi: Vmi, backendStorageClaim?: string): Promise<Persisted<Pod>>;
  /** The launcher of a guest that runs and has lost its own, on the guest's node; undefined where the guest has ended. */
  replaceLostPod(vmi: Vmi, backendStorageClaim?: string): Promise<Persisted<Pod> | undefined>;
  createBackendStorageClaim(vmi: Vmi): Promise<Persisted<PersistentVolumeClaim>>;
  deletePod(vmi: Vmi, pod: Persisted<Pod>): Promise<void>;
  /** Removes a launcher that no node has taken, to make room for one of another hypervisor. Refused when one takes it meanwhile. */
  replacePod(vmi: Vmi, pod: Persisted<Pod>, hypervisor: string): Promise<void>;
  /** A pod that names claims as long as the guest of the launcher pod has them. */
  createAttachment(
    vmi: Vmi,
    launcher: Persisted<Pod>,
    claims: readonly PluggedClaim[],
    options: Pick<AttachmentOptions, 'isPlaced'>,
  ): Promise<void>;
  /** A pod that makes a claim be bound on the launcher's node. */
  createBinding(vmi: Vmi, launcher: Persisted<Pod>, claim: PluggedClaim): Promise<void>;
  deleteAttachment(vmi: Vmi, pod: Persisted<Pod>): Promise<void>;
  /** A merge patch, refused when the VMI has changed since. */
  patchVmi(vmi: Vmi, patch: MergePatch): Promise<void>;
  /** Has a launcher request what its guest is about to get. */
  resizePod(pod: Persisted<Pod>, resources: LauncherResources): Promise<void>;
  setUnpaused(pod: Persisted<Pod>, status: 'True' | 'False', now: Date): Promise<void>;
  warn(vmi: Vmi, reason: string, message: string): void;
}

export function vmiActions(
  client: Client,
  recorder: Recorder,
  expectations: Expectations,
  attachmentExpectations: Expectations,
  config: () => ClusterConfig,
  allocatable: () => ReadonlySet<string>,
): VmiActions {
  const vmis = client.of(Vmi);
  const pods = client.of(Pod);

  async function attach(
    vmi: Vmi,
    launcher: Persisted<Pod>,
    claims: readonly PluggedClaim[],
    options: AttachmentOptions,
  ): Promise<Persisted<Pod>> {
    const { uid } = launcher.metadata;
    attachmentExpectations.expectCreations(uid, 1);
    try {
      return await pods.create(attachmentPod(launcher, claims, options));
    } catch (error) {
      attachmentExpectations.creationObserved(uid);
      if (!isNamespaceTerminating(error))
        recorder.event(vmi, 'Warning', 'FailedCreate', `Error creating attachment pod: ${textOf(error)}`);
      throw error;
    }
  }

  async function createPod(vmi: Vmi, backendStorageClaim?: string, nodeName?: string): Promise<Persisted<Pod>> {
    const key = keyOf(vmi);
    expectations.expectCreations(key, 1);
    try {
      const draft = launcherPod(vmi, config(), backendStorageClaim, allocatable(), nodeName);
      const { object: pod, wasCreated } = await pods.createOrGet(draft);
      const { name } = pod.metadata;
      const where = nodeName === undefined ? '' : `, because the one of the guest on node ${nodeName} is gone`;
      if (wasCreated) recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created virtual machine pod ${name}${where}`);
      // A pod that was there may have arrived in the cache already: it is not to be waited for.
      else expectations.creationObserved(key);
      return pod;
    } catch (error) {
      expectations.creationObserved(key);
      if (isNamespaceTerminating(error)) throw error;
      recorder.event(vmi, 'Warning', 'FailedCreate', `Error creating pod: ${textOf(error)}`);
      throw error;
    }
  }

  return {
    async createAttachment(vmi, launcher, claims, options) {
      const { metadata } = await attach(vmi, launcher, claims, options);
      recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created attachment pod ${metadata.name}`);
      for (const { volume } of claims)
        if (vmi.status?.volumeStatus?.find(({ name }) => name === volume)?.phase !== 'Ready') {
          const message = `Created hotplug attachment pod ${metadata.name}, for volume ${volume}`;
          recorder.event(vmi, 'Normal', 'SuccessfulCreate', message);
        }
    },
    async createBinding(vmi, launcher, claim) {
      await attach(vmi, launcher, [claim], { toBind: true });
      const message = `Created hotplug trigger pod for volume ${claim.volume}`;
      recorder.event(vmi, 'Normal', 'SuccessfulCreate', message);
    },
    async deleteAttachment(vmi, pod) {
      const { name, uid } = pod.metadata;
      const owner = launcherOf(pod)?.uid ?? '';
      attachmentExpectations.expectDeletions(owner, [uid]);
      try {
        await pods.deleteExactly(pod);
      } catch (error) {
        attachmentExpectations.deletionObserved(owner, uid);
        if (isReason(error, 'NotFound')) return;
        recorder.event(vmi, 'Warning', 'FailedDelete', `Failed to delete attachment pod ${name}: ${textOf(error)}`);
        throw error;
      }
      recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted attachment pod ${name}`);
    },
    async createBackendStorageClaim(vmi) {
      return (await client.of(PersistentVolumeClaim).createOrGet(backendStorageClaimDraft(vmi, config()))).object;
    },
    createPod: (vmi, backendStorageClaim) => createPod(vmi, backendStorageClaim),
    async replaceLostPod(vmi, backendStorageClaim) {
      // A node reports the end of a guest before it lets the launcher go; the cache may show the two in another order.
      const current = await vmis.find(vmi.metadata.name, { namespace: vmi.metadata.namespace });
      const { nodeName } = current?.status ?? {};
      if (!current || current.metadata.uid !== vmi.metadata.uid || !isActive(current) || !nodeName) return undefined;
      return createPod(withCurrentVolumes(vmi), backendStorageClaim, nodeName);
    },
    async deletePod(vmi, pod) {
      const { name } = pod.metadata;
      try {
        await pods.deleteExactly(pod);
      } catch (error) {
        if (isReason(error, 'NotFound')) return;
        const message = error instanceof Error ? error.message : String(error);
        recorder.event(vmi, 'Warning', 'FailedDelete', `Failed to delete virtual machine pod ${name}: ${message}`);
        throw error;
      }
      recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted virtual machine pod ${name}`);
    },
    async replacePod(vmi, { metadata }, hypervisor) {
      const { name, namespace, uid, resourceVersion } = metadata;
      const preconditions = { uid, resourceVersion };
      await pods.delete(name, { namespace, gracePeriodSeconds: 0, preconditions }).catch(ignoreNotFound);
      const message = `Deleted virtual machine pod ${name}: new VMs run on ${hypervisor}, and no node had accepted the pod yet`;
      recorder.event(vmi, 'Normal', 'SuccessfulDelete', message);
    },
    async patchVmi(vmi, patch) {
      await vmis.patchIfUnchanged(vmi, patch);
    },
    async resizePod(pod, resources) {
      const containers = [{ name: pod.spec?.containers[0]?.name ?? '', resources }];
      await pods.patchExactly(pod, { spec: { containers } }, { type: 'strategic', subresource: 'resize' });
    },
    async setUnpaused({ metadata, status: before }, status, now) {
      const condition = { type: UNPAUSED_CONDITION, status, lastTransitionTime: timestamp(now) };
      const conditions = conditionsPatch(before?.conditions, [condition]);
      const { name, namespace } = metadata;
      await pods.patchStatus(name, { status: { conditions } }, { namespace, type: 'strategic' });
    },
    warn: (vmi, reason, message) => recorder.event(vmi, 'Warning', reason, message),
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
