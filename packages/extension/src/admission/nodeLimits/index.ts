import {
  forbidden,
  type Kind,
  type KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '@vireo/api';
import { NODE_GROUP, nodeOfUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import type { Client } from '@vireo/kube';
import { ALLOWED, type ValidatingRule } from '../rule.ts';
import { claimProblem } from './claims.ts';
import { contentProblem } from './snapshotContents.ts';
import { vmiProblem } from './vmis.ts';
import { claimOf, type VolumeOrigin, volumeProblem } from './volumes.ts';
import type { NodeWrite } from './write.ts';

/** The kinds that nodes write, beside what every kubelet does. */
export const LIMITED_KINDS: readonly Kind[] = [
  VirtualMachineInstance,
  PersistentVolumeClaim,
  PersistentVolume,
  VolumeSnapshotContent,
];

/** Whether a request is a node's, in CEL. */
export const IS_NODE = `'${NODE_GROUP}' in request.userInfo.groups`;

/**
 * Limits nodes to what is their own: guests that run there, volumes that are there, and what reports on them. Without
 * an answer nodes write nothing, and neither do nodes that were deleted. Nobody else is asked about.
 */
export const nodeLimits: ValidatingRule<KubeObject> = {
  type: 'validating',
  webhook: 'node-limits.vireo.dev',
  path: '/node-limits',
  kinds: LIMITED_KINDS,
  withStatus: true,
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  matchConditions: [{ name: 'is-node', expression: IS_NODE }],
  async validate({ operation, object, oldObject, user }, { client }) {
    if (!user.groups.includes(NODE_GROUP)) return ALLOWED;
    const node = nodeOfUser(user.username);
    const kind = LIMITED_KINDS.find(({ kind }) => kind === object.kind);
    const of = { group: kind?.group ?? '', resource: kind?.plural ?? '' };
    const refuse = (why: string) => forbidden(of, object.metadata.name ?? '', why);
    if (node === undefined) throw refuse(`could not determine node from user ${JSON.stringify(user.username)}`);
    if (!kind) throw refuse(`node "${node}" may not write objects of kind ${object.kind}`);
    // Its certificates may outlive it.
    if (!(await client.of(Node).find(node))) throw refuse(`node "${node}" was deleted, or has not registered yet`);
    const problem = await problemOf(kind, { node, operation, object, oldObject }, client);
    if (problem !== undefined) throw refuse(`node "${node}" may not write it: ${problem}`);
    return ALLOWED;
  },
};

/** Why a node may not write an object in this way, as far as other objects have to be looked at for it too. */
async function problemOf(kind: Kind, write: NodeWrite<KubeObject>, client: Client): Promise<string | undefined> {
  switch (kind) {
    case VirtualMachineInstance:
      return vmiProblem(write as NodeWrite<VirtualMachineInstance>);
    case PersistentVolumeClaim: {
      const claim = write as NodeWrite<PersistentVolumeClaim>;
      const volumeName = claim.oldObject?.spec?.volumeName;
      return claimProblem(claim, volumeName ? await client.of(PersistentVolume).find(volumeName) : undefined);
    }
    case PersistentVolume: {
      const volume = write as NodeWrite<PersistentVolume>;
      const origin = write.operation === 'CREATE' ? await originOf(volume.object, client) : NO_ORIGIN;
      return volumeProblem(volume, origin);
    }
    default:
      return contentProblem(write as NodeWrite<VolumeSnapshotContent>);
  }
}

const NO_ORIGIN: VolumeOrigin = { claim: undefined, storageClass: undefined };

async function originOf(volume: PersistentVolume, client: Client): Promise<VolumeOrigin> {
  const of = claimOf(volume);
  const className = volume.spec?.storageClassName;
  const [claim, storageClass] = await Promise.all([
    of && client.of(PersistentVolumeClaim).find(of.name, { namespace: of.namespace }),
    className ? client.of(StorageClass).find(className) : undefined,
  ]);
  return { claim, storageClass };
}
