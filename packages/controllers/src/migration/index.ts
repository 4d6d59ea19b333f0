import { Namespace, Node, type Persisted, PersistentVolumeClaim, Pod, ResourceQuota } from '@vireo/api';
import { ATTACHMENT_SELECTOR, launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isFinalMigration, MIGRATION_JOB_LABEL, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { type ControllerContext, keyOf, ownerKey, parseKey, runController, systemClock, watch } from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { MIGRATIONS_BY_VMI, vmiKeyOf } from '../migrationsByVmi.ts';
import { PODS_BY_CONTROLLER } from '../podsByController.ts';
import { allocatableResources } from '../vmi/allocatableResources.ts';
import { backendStorageClaimKeys, currentBackendStorageClaim } from '../vmi/backendStorage.ts';
import { migrationActions } from './act.ts';
import { blockedBy } from './blocked.ts';
import { limitsOf, policyOf } from './policy.ts';
import { admitted, type QueuedMigration } from './queue.ts';
import { reconcileMigration } from './reconcile.ts';

/** Carries migrations from their request to the nodes, and from the nodes' word to their end. */
export async function startMigrationController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const migrations = informers.for(Migration, { indexes: { ...MIGRATIONS_BY_VMI, ...OPEN } });
  const vmis = informers.for(Vmi);
  const vms = informers.for(Vm);
  const pods = informers.for(Pod, { labelSelector: LAUNCHER_SELECTOR, indexes: PODS_BY_CONTROLLER });
  const attachments = informers.for(Pod, { labelSelector: ATTACHMENT_SELECTOR, indexes: PODS_BY_CONTROLLER });
  const claims = informers.for(PersistentVolumeClaim, { indexes: { stateOf: backendStorageClaimKeys } });
  const nodes = informers.for(Node);
  const policies = informers.for(MigrationPolicy);
  const namespaces = informers.for(Namespace);
  const quotas = informers.for(ResourceQuota);
  const { kubevirts, config } = cachedConfig(informers);
  const act = migrationActions(client, recorder);
  const allocatable = allocatableResources(nodes);
  /** The uids of migrations for which a pod was asked for: caches show the pod later, and limits count it now. */
  const begun = new Set<string>();

  const targetOf = ({ metadata }: Migration, vmi: Vmi): Persisted<Pod> | undefined =>
    pods
      .byIndex('controller', vmi.metadata.uid)
      .find((pod) => pod.metadata.labels?.[MIGRATION_JOB_LABEL] === metadata.uid);
  const open = (): readonly Migration[] => migrations.byIndex('open', 'true');
  const queued = (): QueuedMigration[] =>
    open().map((migration) => {
      const vmi = vmis.get(vmiKeyOf(migration));
      const hasTargetPod = begun.has(migration.metadata.uid) || (vmi && targetOf(migration, vmi)) !== undefined;
      return { migration, node: vmi?.status?.nodeName ?? '', hasTargetPod };
    });
  const next = (): string[] => admitted(queued(), limitsOf(config())).map(({ migration }) => keyOf(migration));
  /** Of a VMI: those that have not ended, which are one but for races. */
  const openOf = (vmiKey: string): string[] =>
    migrations
      .byIndex('vmiKey', vmiKey)
      .filter((each) => !isFinalMigration(each) || each.metadata.finalizers?.length)
      .map(keyOf);
  const forget = ({ metadata }: Migration): string[] => {
    begun.delete(metadata.uid);
    return next();
  };

  await runController(
    {
      name: 'migration',
      for: migrations,
      watches: [
        watch(vmis, {
          changed: (vmi) => openOf(keyOf(vmi)),
          // Migrations go with their VMI, also those that are kept for a while.
          deleted: (vmi) => migrations.byIndex('vmiKey', keyOf(vmi)).map(keyOf),
        }),
        watch(vms, (vm) => openOf(keyOf(vm))),
        watch(pods, (pod) => openOf(ownerKey(pod, Vmi) ?? '')),
        watch(attachments, (pod) => {
          const launcher = pods.get(`${pod.metadata.namespace}/${launcherOf(pod)?.name}`);
          return launcher ? openOf(ownerKey(launcher, Vmi) ?? '') : [];
        }),
        // The place of one that has ended is another's.
        watch(migrations, {
          updated: (old, now) => (isFinalMigration(now) && !isFinalMigration(old) ? forget(now) : []),
          deleted: forget,
        }),
        watch(kubevirts, { updated: () => next() }),
        watch(quotas, (quota) =>
          open()
            .filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
            .map(keyOf),
        ),
      ],
      reads: [claims, nodes, policies, namespaces],
      reconcile: async (key) => {
        const migration = migrations.get(key);
        if (!migration) return undefined;
        const vmiKey = vmiKeyOf(migration);
        const vmi = vmis.get(vmiKey);
        const { uid, namespace = '' } = migration.metadata;
        return reconcileMigration(
          {
            migration,
            vmi,
            pods: vmi ? pods.byIndex('controller', vmi.metadata.uid) : [],
            target: vmi && targetOf(migration, vmi),
            attachments: (launcher) =>
              attachments
                .byIndex('controller', launcher.metadata.uid)
                .filter((pod) => launcherOf(pod)?.uid === launcher.metadata.uid),
            others: migrations.byIndex('vmiKey', vmiKey).filter((each) => each.metadata.uid !== uid),
            mayBegin: () => next().includes(key),
            begins: () => {
              begun.add(uid);
              return () => void begun.delete(uid);
            },
            blocked: blockedBy(vms.get(vmiKey), vmi),
            blockedNow: async () => blockedBy(await client.of(Vm).find(parseKey(vmiKey).name, { namespace }), vmi),
            node: (name) => nodes.get(name),
            policy: (of) => policyOf(policies.list(), of, namespaces.get(namespace)?.metadata.labels),
            backendStorageClaim: currentBackendStorageClaim(claims.byIndex('stateOf', vmiKey)),
            allocatable,
            config: config(),
            now: new Date(clock.now()),
          },
          act,
        );
      },
    },
    context,
    signal,
  );
}

/** The index of migrations that have not ended. */
const OPEN = { open: (migration: Migration): string[] => (isFinalMigration(migration) ? [] : ['true']) };
