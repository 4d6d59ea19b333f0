import type { Pod } from '@vireo/api';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { isFinalMigration, MIGRATION_JOB_LABEL, type Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Informer, keyOf } from '@vireo/kube';
import { vmiKeyOf } from '../migrationsByVmi.ts';
import { admitted, hasBegun, type Limits } from './queue.ts';

/** The index of migrations that have not ended. */
export const OPEN = { open: (migration: Migration): string[] => (isFinalMigration(migration) ? [] : ['true']) };

/** What the queue of migrations is made of. */
export interface AdmissionSources {
  /** With the index `OPEN`. */
  readonly migrations: Pick<Informer<Migration>, 'byIndex' | 'on'>;
  readonly vmis: Pick<Informer<Vmi>, 'get' | 'on'>;
  readonly pods: Pick<Informer<Pod>, 'on'>;
  readonly kubevirts: Pick<Informer<KubeVirt>, 'on'>;
  readonly limits: () => Limits;
  readonly hasTarget: (migration: Migration, vmi: Vmi) => boolean;
}

/** Which migrations may begin. */
export interface Admission {
  /** Their keys. */
  next(): readonly string[];
  mayBegin(key: string): boolean;
  /** Counts a migration as under way before caches show its pod; the result takes it back. */
  begins(uid: string): () => void;
}

/**
 * Works out which migrations may begin: when somebody asks, and again only after a change that counts. In a large drain
 * every migration asks, and most of what changes meanwhile is no concern of the queue.
 */
export function watchAdmission({ migrations, vmis, pods, kubevirts, limits, hasTarget }: AdmissionSources): Admission {
  const begun = new Set<string>();
  let known: ReadonlySet<string> | undefined;
  const forget = (): void => {
    known = undefined;
  };
  const ended = ({ metadata }: Migration): void => {
    begun.delete(metadata.uid);
    forget();
  };
  migrations.on({
    added: forget,
    updated: (old, now) => {
      if (isFinalMigration(now) && !isFinalMigration(old)) ended(now);
      else if (hasBegun(old) !== hasBegun(now)) forget();
    },
    deleted: ended,
  });
  vmis.on({
    added: forget,
    updated: (old, now) => old.status?.nodeName !== now.status?.nodeName && forget(),
    deleted: forget,
  });
  const forgetTarget = ({ metadata }: Pod): void => {
    if (metadata.labels?.[MIGRATION_JOB_LABEL] !== undefined) forget();
  };
  pods.on({ added: forgetTarget, deleted: forgetTarget });
  kubevirts.on({ added: forget, updated: forget, deleted: forget });
  const keys = (): ReadonlySet<string> => {
    known ??= new Set(
      admitted(
        migrations.byIndex('open', 'true').map((migration) => {
          const vmi = vmis.get(vmiKeyOf(migration));
          const hasTargetPod = begun.has(migration.metadata.uid) || (vmi !== undefined && hasTarget(migration, vmi));
          return { migration, node: vmi?.status?.nodeName ?? '', hasTargetPod };
        }),
        limits(),
      ).map(({ migration }) => keyOf(migration)),
    );
    return known;
  };
  return {
    next: () => [...keys()],
    mayBegin: (key) => keys().has(key),
    begins(uid) {
      begun.add(uid);
      forget();
      return () => {
        begun.delete(uid);
        forget();
      };
    },
  };
}
