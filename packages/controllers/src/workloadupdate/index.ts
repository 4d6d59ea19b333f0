import { isDeleting, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import {
  isFinalMigration,
  Migration,
  WORKLOAD_UPDATE_MIGRATION_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE, LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, Expectations, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { LAUNCHERS_BY_VMI } from '../launchersByVmi.ts';
import { MIGRATIONS_BY_VMI, vmiKeyOf } from '../migrationsByVmi.ts';
import { updateActions } from './act.ts';
import { isBehind, OUTDATED_VMIS } from './decide.ts';
import { reconcileUpdates } from './reconcile.ts';

const KEY = `${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`;
/** VMIs change in crowds: one look for all of them. */
const LOOK = { key: KEY, afterMs: 200 };

/** Brings running guests up to date where the KubeVirt object says how: by migrations, or by restarts in batches. */
export async function startWorkloadUpdateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const kubevirts = informers.for(KubeVirt, { namespace: KUBEVIRT_NAMESPACE });
  const vmis = informers.for(Vmi, { indexes: OUTDATED_VMIS });
  const migrations = informers.for(Migration, { indexes: MIGRATIONS_BY_VMI });
  const launchers = informers.for(Pod, { labelSelector: LAUNCHER_SELECTOR, indexes: LAUNCHERS_BY_VMI });
  const act = updateActions(client, recorder);
  /** By the key of the VMI. */
  const expectations = new Expectations(clock);
  let lastEvictionMs = 0;
  await runController(
    {
      name: 'workloadupdate',
      for: kubevirts,
      watches: [
        watch(vmis, {
          added: (vmi) => (isBehind(vmi) ? LOOK : []),
          updated: (old, vmi) => (isBehind(old) || isBehind(vmi) ? LOOK : []),
          deleted: (vmi) => (isBehind(vmi) ? LOOK : []),
        }),
        watch(migrations, {
          added(migration) {
            expectations.creationObserved(vmiKeyOf(migration));
            return LOOK;
          },
          updated: (old, migration) => (!isFinalMigration(old) && isFinalMigration(migration) ? LOOK : []),
          deleted: () => LOOK,
        }),
      ],
      reads: [launchers],
      reconcile: async () => {
        const kubevirt = kubevirts.get(KEY);
        if (!kubevirt || isDeleting(kubevirt)) return undefined;
        const unfinished = migrations.list().filter((each) => !isFinalMigration(each));
        const result = await reconcileUpdates(
          {
            kubevirt,
            outdated: vmis.byIndex('needsUpdate', 'true'),
            unfinished,
            isUnderWay: (vmi) =>
              !expectations.isSatisfied(keyOf(vmi)) ||
              !migrations.byIndex('vmiKey', keyOf(vmi)).every(isFinalMigration),
            ofUpdates: unfinished.flatMap((migration) => {
              const vmi = vmis.get(vmiKeyOf(migration));
              const isOurs = migration.metadata.annotations?.[WORKLOAD_UPDATE_MIGRATION_ANNOTATION] !== undefined;
              return vmi && isOurs && !isDeleting(migration) ? [{ vmi, migration }] : [];
            }),
            launcherOf: (vmi) =>
              launchers
                .byIndex('launcherOf', vmi.metadata.uid)
                .find(({ spec }) => spec?.nodeName === vmi.status?.nodeName),
            lastEvictionMs,
            nowMs: clock.now(),
          },
          client,
          act,
          expectations,
        );
        lastEvictionMs = result.lastEvictionMs;
        return result.requeueAfterMs === undefined ? undefined : { requeueAfterMs: result.requeueAfterMs };
      },
    },
    context,
    signal,
  );
}
