import {
  type Node as KubeNode,
  Node,
  nodeOfVolume,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { dataOriginOf } from '@vireo/api/kinds/cdi/origin.ts';
import {
  LOCAL_PROVISIONER,
  OWN_PROVISIONERS,
  PROVISIONED_BY,
  SELECTED_NODE,
  SHARED_ID,
  SHARED_PROVISIONER,
  SHARED_STATUS,
  sharedLabel,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { MIGRATION_JOB_NAME_ANNOTATION, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { MIGRATION_STRATEGY, migratedVolumes, withCurrentVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { STATE_LABEL } from '../vmi/backendStorage.ts';
import { placementActions } from './act.ts';
import { decidePlacement, type PlacementState } from './decide.ts';
import { type Consumer, freeBytesOf, isReady } from './nodes.ts';

type Claim = Persisted<PersistentVolumeClaim>;

/** A node that was chosen for a claim, and how much of its disk the claim asks for. */
interface Chosen {
  readonly node: string;
  readonly sizeBytes: number;
}

/** What is in the way may pass without a sign. */
const RETRY_MS = 15_000;
const UNBOUND = 'unbound';

/**
 * Chooses the node that makes the volume of a claim that no scheduler chooses one for, and takes back what cannot be.
 * One controller decides for all nodes, so no two of them make or download the same.
 */
export async function startPlacementController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const claims = informers.for(PersistentVolumeClaim, {
    indexes: { unboundState: unbound, originOfUnbound, selectedUnbound },
  });
  const volumes = informers.for(PersistentVolume, { indexes: { node: (volume) => [nodeOfVolume(volume) ?? ''] } });
  const classes = informers.for(StorageClass);
  const nodes = informers.for(Node);
  const vms = informers.for(Vm, { indexes: { namedClaim: vmClaims } });
  const vmis = informers.for(Vmi, { indexes: { namedClaim: vmiClaims } });
  const migrations = informers.for(Migration);
  const snapshots = informers.for(VolumeSnapshot);
  const contents = informers.for(VolumeSnapshotContent);
  const act = placementActions(client, recorder);
  /** What was chosen and may not be in the cache yet, by the claim's uid. */
  const chosen = new Map<string, Chosen>();

  const nodeOfClaim = (claim: Claim): string | undefined => {
    const volume = volumes.get(claim.spec?.volumeName ?? '');
    if (volume) return nodeOfVolume(volume);
    return claim.metadata.annotations?.[SELECTED_NODE] ?? chosen.get(claim.metadata.uid)?.node;
  };
  const promisedBytes = ({ metadata: { name = '' } }: KubeNode): number => {
    const selected = claims.byIndex('selectedUnbound', name);
    // What the cache does not show yet counts as well: else all claims of one moment would go to one node.
    const unseen = [...chosen].filter(
      ([uid, { node }]) =>
        node === name && !selected.some(({ metadata }) => metadata.uid === uid) && !volumes.get(`pvc-${uid}`),
    );
    return (
      volumes.byIndex('node', name).reduce((sum, { spec }) => sum + bytesOf(spec?.capacity?.storage), 0) +
      selected.reduce((sum, claim) => sum + requestedBytes(claim), 0) +
      unseen.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0)
    );
  };

  /** The VMs and VMIs that name a claim, or whose firmware keeps its state there. */
  function consumersOf(claim: Claim, { provisioner }: StorageClass): Consumer[] {
    const { namespace, labels, annotations } = claim.metadata;
    const named = `${namespace}/${labels?.[STATE_LABEL] ?? ''}`;
    const users = [...vms.byIndex('namedClaim', keyOf(claim)), vms.get(named)].flatMap((vm) => vm ?? []);
    const running = [...vmis.byIndex('namedClaim', keyOf(claim)), vmis.get(named)].flatMap((vmi) => vmi ?? []);
    const othersOf = (keys: readonly string[]): string[] =>
      keys.flatMap((key) => {
        const other = key === keyOf(claim) ? undefined : claims.get(key);
        return (other && nodeOfClaim(other)) ?? [];
      });
    // What all nodes have, any of them makes.
    const isShared = provisioner === SHARED_PROVISIONER;
    const migration = migrations.get(`${namespace}/${annotations?.[MIGRATION_JOB_NAME_ANNOTATION] ?? ''}`);
    const moving = migration && vmis.get(`${namespace}/${migration.spec.vmiName}`);
    if (moving) {
      const leaves = isShared ? undefined : moving.status?.nodeName;
      return [{ ...targetOf(moving, migration), nodes: othersOf(destinationsOf(moving)), leaves }];
    }
    return [
      ...users.flatMap((vm) => {
        const { spec } = vm.spec.template;
        const leaves = isShared ? undefined : leftFor(claim, vm, vmis.get(keyOf(vm)));
        return spec ? { what: `VirtualMachine ${keyOf(vm)}`, spec, nodes: othersOf(vmClaims(vm)), leaves } : [];
      }),
      ...running
        // What a guest moves to is where its VM wants it.
        .filter((vmi) => !isFinal(vmi) && !isDestination(claim, vmi))
        .map((vmi) => ({
          what: `VirtualMachineInstance ${keyOf(vmi)}`,
          spec: vmi.spec,
          // Where the guest is, its disks are or it would not run.
          nodes: vmi.status?.nodeName ? [vmi.status.nodeName] : othersOf(vmiClaims(vmi)),
        })),
    ];
  }

  function originOf(claim: Claim, storageClass: StorageClass): PlacementState['origin'] {
    const origin = dataOriginOf(claim);
    if (!origin) return undefined;
    const problem = `source ${origin.kind} ${origin.key}`;
    if (origin.kind === 'PersistentVolumeClaim') {
      const source = claims.get(origin.key);
      const volume = volumes.get(source?.spec?.volumeName ?? '');
      const node = volume && nodeOfVolume(volume);
      if (!source) return { problem: `${problem} does not exist` };
      if (!volume) return { problem: `${problem} is not bound yet` };
      return node === undefined ? undefined : { node };
    }
    const snapshot = snapshots.get(origin.key);
    const content = contents.get(snapshot?.status?.boundVolumeSnapshotContentName ?? '');
    if (!content) return { problem: `${problem} does not exist or has no content` };
    // Every node that makes volumes in a shared directory can read its snapshots.
    if ([content.spec.driver, storageClass.provisioner].every((each) => each === SHARED_PROVISIONER)) return undefined;
    const node = content.metadata.labels?.[MANAGED_BY];
    return node === undefined ? undefined : { node };
  }

  const unboundKeys = (): string[] => claims.byIndex('unboundState', UNBOUND).map(keyOf);
  const waitingFor = (origin: string): string[] => claims.byIndex('originOfUnbound', origin).map(keyOf);
  const forget = ({ metadata }: Claim): undefined => {
    chosen.delete(metadata.uid);
  };

  await runController(
    {
      name: 'placement',
      for: claims,
      watches: [
        watch(claims, { changed: (claim) => waitingFor(keyOf(claim)), deleted: forget }),
        watch(nodes, {
          added: unboundKeys,
          // Heartbeats come all the time, and change nothing here: what is free only orders nodes.
          updated: (old, node) => (deepEqual(relevant(old), relevant(node)) ? [] : unboundKeys()),
          deleted: unboundKeys,
        }),
        watch(classes, { added: unboundKeys }),
        watch(contents, ({ spec: { volumeSnapshotRef: of } }) => waitingFor(`${of.namespace}/${of.name}`)),
      ],
      reads: [volumes, vms, vmis, snapshots, migrations],
      reconcile: async (key) => {
        const claim = claims.get(key);
        if (!claim) return undefined;
        const storageClass = classes.get(claim.spec?.storageClassName ?? '');
        if (claim.spec?.volumeName) {
          chosen.delete(claim.metadata.uid);
          // What others say of their claims is theirs.
          const isOurs = isOurClass(storageClass) || isOurVolume(volumes.get(claim.spec.volumeName));
          if (claim.status?.phase === 'Bound' && isOurs) await act.explain(claim, undefined);
          return undefined;
        }
        if (!storageClass || !isOurClass(storageClass)) return undefined;
        const able = nodes.list().filter((node) => canProvide(node, storageClass));
        if (storageClass.provisioner === SHARED_PROVISIONER && able.length === 0) {
          await act.explain(claim, sharedProblem(storageClass));
          return { requeueAfterMs: RETRY_MS };
        }
        const decision = decidePlacement({
          claim,
          storageClass,
          hasVolume: volumes.get(`pvc-${claim.metadata.uid}`) !== undefined,
          nodes: able,
          origin: originOf(claim, storageClass),
          consumers: consumersOf(claim, storageClass),
          promisedBytes,
          freeBytes: (node) => freeBytesOf(node) ?? 0,
        });
        if (decision.action === 'select') {
          chosen.set(claim.metadata.uid, { node: decision.node, sizeBytes: requestedBytes(claim) });
          await act.select(claim, decision.node).catch((error: unknown) => {
            chosen.delete(claim.metadata.uid);
            throw error;
          });
        }
        if (decision.action === 'clear') await act.clear(claim, decision.message);
        if (decision.action !== 'wait') return undefined;
        await act.explain(claim, decision.message);
        return { requeueAfterMs: RETRY_MS };
      },
    },
    context,
    signal,
  );
}

/** Whether a volume of the guest is on its way to a claim. */
const isDestination = ({ metadata }: Claim, vmi: Vmi): boolean =>
  migratedVolumes(vmi).some(({ destinationPVCInfo: to }) => to?.claimName === metadata.name);

/** The node that a guest leaves for a claim that its VM has in place of the one that the guest has; undefined where it stays. */
function leftFor(claim: Claim, { spec }: Vm, vmi: Vmi | undefined): string | undefined {
  const { name } = claim.metadata;
  const volume = spec.template.spec?.volumes?.find((each) => claimNameOf(each) === name);
  if (!vmi || isFinal(vmi) || !volume || spec.updateVolumesStrategy !== MIGRATION_STRATEGY) return undefined;
  const current = withCurrentVolumes(vmi).spec.volumes?.find((each) => each.name === volume.name);
  const from = current && claimNameOf(current);
  return from === undefined || from === name ? undefined : vmi.status?.nodeName;
}

/** Who uses a claim that what firmware remembers moves to: the guest, where the migration takes it. */
const targetOf = (vmi: Vmi, { metadata, spec }: Migration): Pick<Consumer, 'what' | 'spec'> => ({
  what: `VirtualMachineInstanceMigration ${metadata.namespace}/${metadata.name}`,
  spec: { ...vmi.spec, nodeSelector: { ...spec.addedNodeSelector, ...vmi.spec.nodeSelector } },
});

/** The keys of the claims that volumes of a guest move to at the same time. */
const destinationsOf = (vmi: Vmi): string[] =>
  migratedVolumes(vmi).flatMap(({ destinationPVCInfo: to }) =>
    to?.claimName ? [`${vmi.metadata.namespace}/${to.claimName}`] : [],
  );

/** What of a node matters here. */
const relevant = (node: KubeNode) => [node.metadata.labels, node.spec, isReady(node), freeBytesOf(node) !== undefined];

const isOurClass = (storageClass: StorageClass | undefined): boolean =>
  OWN_PROVISIONERS.includes(storageClass?.provisioner ?? '');

const isOurVolume = (volume: PersistentVolume | undefined): boolean =>
  OWN_PROVISIONERS.includes(volume?.metadata.annotations?.[PROVISIONED_BY] ?? '');

const bytesOf = (quantity: string | number | undefined): number => Number(toBytes(quantity ?? '0'));
const requestedBytes = ({ spec }: PersistentVolumeClaim): number => bytesOf(spec?.resources?.requests?.storage);

const unbound = ({ spec }: PersistentVolumeClaim): string[] => (spec?.volumeName ? [] : [UNBOUND]);
const originOfUnbound = (claim: PersistentVolumeClaim): string[] =>
  claim.spec?.volumeName ? [] : [dataOriginOf(claim)?.key ?? []].flat();
const selectedUnbound = ({ metadata, spec }: PersistentVolumeClaim): string[] =>
  spec?.volumeName ? [] : [metadata.annotations?.[SELECTED_NODE] ?? []].flat();

type Volumes = Vmi['spec']['volumes'];
const claimsIn = (namespace: string | undefined, volumes: Volumes): string[] =>
  (volumes ?? []).flatMap((volume) => {
    const name = writtenClaimNameOf(volume) ?? volume.ephemeral?.persistentVolumeClaim?.claimName;
    return name ? [`${namespace}/${name}`] : [];
  });
const vmClaims = ({ metadata, spec }: Vm): string[] => claimsIn(metadata.namespace, spec.template.spec?.volumes);
const vmiClaims = ({ metadata, spec }: Vmi): string[] => claimsIn(metadata.namespace, spec.volumes);

/** Whether a node makes volumes of a class when it is well. */
const canProvide = (node: KubeNode, storageClass: StorageClass): boolean => {
  if (freeBytesOf(node) === undefined || !isInTopology(node, storageClass)) return false;
  if (storageClass.provisioner === LOCAL_PROVISIONER) return true;
  const id = storageClass.metadata.annotations?.[SHARED_ID];
  return id !== undefined && node.metadata.labels?.[sharedLabel(id)] !== undefined;
};

const sharedProblem = ({ metadata }: StorageClass): string =>
  `StorageClass ${metadata.name}: ${metadata.annotations?.[SHARED_STATUS] ?? 'no node has looked for its directory yet'}`;

/** Whether a class that is limited to places has volumes on the node. */
const isInTopology = ({ metadata }: KubeNode, { allowedTopologies }: StorageClass): boolean =>
  !allowedTopologies?.length ||
  allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? '')),
  );
