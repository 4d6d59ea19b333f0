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
import { OPEN, watchAdmission } from './admission.ts';
import { blockedBy } from './blocked.ts';
import { limitsOf, policyOf } from './policy.ts';
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
  const targetOf = ({ metadata }: Migration, vmi: Vmi): Persisted<Pod> | undefined =>
    pods
      .byIndex('controller', vmi.metadata.uid)
      .find((pod) => pod.metadata.labels?.[MIGRATION_JOB_LABEL] === metadata.uid);
  const open = (): readonly Migration[] => migrations.byIndex('open', 'true');
  const admission = watchAdmission({
    migrations,
    vmis,
    pods,
    kubevirts,
    limits: () => limitsOf(config()),
    hasTarget: (migration, vmi) => targetOf(migration, vmi) !== undefined,
  });
  /** Of a VMI: those that have not ended, which are one but for races. */
  const openOf = (vmiKey: string): string[] =>
    migrations
      .byIndex('vmiKey', vmiKey)
      .filter((each) => !isFinalMigration(each) || each.metadata.finalizers?.length)
      .map(keyOf);

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
          updated: (old, now) => (isFinalMigration(now) && !isFinalMigration(old) ? admission.next() : []),
          deleted: () => admission.next(),
        }),
        watch(kubevirts, { updated: () => admission.next() }),
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
            mayBegin: () => admission.mayBegin(key),
            begins: () => admission.begins(uid),
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
