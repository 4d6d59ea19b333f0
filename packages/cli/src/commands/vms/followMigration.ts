import { ApiError } from '@vireo/api';
import {
  isFinalMigration,
  Migration,
  type MigrationProgress,
  migrationProgress,
  selectMigrationsOf,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Informer, keyOf, type Log } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import type { Connection } from './connection.ts';
import { orFail, reasonOf } from './refusal.ts';

const MIB = 1024 * 1024;
/** How the names of migrations begin that users ask for by an action on a VM. */
const BY_USERS = 'kubevirt-migrate-vm-';

/** The migrations of a VM that are there, also those that have ended. */
export async function migrationsOf(connection: Connection, name: string): Promise<readonly Migration[]> {
  const { client, namespace } = connection;
  const { items } = await orFail(
    connection,
    (why) => `Error fetching virtual machine instance migration list  ${why}`,
    () => client.of(Migration).list({ namespace, ...selectMigrationsOf(name) }),
  );
  return items.filter(({ spec }) => spec.vmiName === name);
}

/** The migration that a user has just asked for: what others began meanwhile has another name. */
export function startedByUser(now: readonly Migration[], before: readonly Migration[]): Migration | undefined {
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  return now.find(({ metadata }) => !known.has(metadata.uid) && metadata.name.startsWith(BY_USERS));
}

/** Prints how far a migration is, until it has ended. A server that does not answer meanwhile is asked again. */
export async function followMigration(connection: Connection, migration: Migration): Promise<void> {
  const { client } = connection;
  const { name, namespace, uid } = migration.metadata;
  const stop = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Migration>();
  const report = progressReport();
  let last = migration;
  const look = (seen: Migration): void => {
    const isAnother = seen.metadata.uid !== uid;
    if (!isAnother) {
      last = seen;
      report(seen);
    }
    // One that another of the same name has followed is gone.
    if (isAnother || isFinalMigration(seen)) resolve(last);
  };
  const migrations = new Informer(client.of(Migration), {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    log: outageReport(reject),
  });
  migrations.on({ added: look, updated: (_, seen) => look(seen), deleted: resolve });
  look(migration);
  migrations.start(stop.signal);
  reportProgress(connection, migration, stop.signal);
  // One that went before the watch began is never told of.
  void migrations.whenSynced().then(
    () => migrations.get(keyOf(migration)) ?? resolve(last),
    () => {},
  );
  try {
    const ended = await orFail(
      connection,
      (why) => `cannot follow the migration of VM ${migration.spec.vmiName}: ${why}`,
      () => promise,
    );
    concluded(ended);
  } finally {
    stop.abort();
  }
}

/** A line for each phase that is new, with the node where that is known. */
function progressReport(): (migration: Migration) => void {
  let printed = 0;
  return ({ status }) => {
    const phases = status?.phaseTransitionTimestamps ?? [];
    for (const { phase } of phases.slice(printed)) console.log(`  ${phase}`);
    printed = Math.max(printed, phases.length);
  };
}

/** Tells once why the server does not answer; one that refuses to tell is not asked again. */
function outageReport(reject: (error: unknown) => void): Log {
  let told = '';
  return {
    ...SILENT,
    warn(_message, _about, { error } = {}) {
      if (error instanceof ApiError && (error.code === 401 || error.code === 403)) return reject(error);
      const why = reasonOf(error);
      if (why !== told) console.error(`The server does not report on the migration, and is asked again: ${why}`);
      told = why;
    },
  };
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Prints how much of a guest is on its target, as often as its node says so. */
function reportProgress({ client }: Connection, { metadata, spec }: Migration, signal: AbortSignal): void {
  let printed = '';
  const look = (vmi: Vmi): void => {
    const isThis = vmi.status?.migrationState?.migrationUid === metadata.uid;
    const progress = isThis ? migrationProgress(vmi) : undefined;
    const line = progress ? progressLine(progress) : printed;
    if (line !== printed) console.log(line);
    printed = line;
  };
  // Whoever may follow the migration may not be allowed to read VMIs, and it is the migration that counts.
  const vmis = new Informer<Vmi>(client.of(Vmi), {
    namespace: metadata.namespace,
    fieldSelector: `metadata.name=${spec.vmiName}`,
    log: SILENT,
  });
  vmis.on({ added: look, updated: (_, vmi) => look(vmi) });
  vmis.start(signal);
}

/** Such as `  40% of 1024 MiB`. */
export const progressLine = ({ percent, totalBytes }: MigrationProgress): string =>
  `  ${percent}% of ${Math.ceil(totalBytes / MIB)} MiB`;

function concluded({ metadata, spec, status }: Migration): void {
  const { failureReason, sourceNode, targetNode } = status?.migrationState ?? {};
  if (status?.phase === 'Succeeded') {
    console.log(`VM ${spec.vmiName} has moved from node ${sourceNode} to node ${targetNode}`);
    return;
  }
  throw new Failure(
    `VM ${spec.vmiName} did not migrate: ${failureReason ?? 'the migration was cancelled'}`,
    `For events: kubectl describe vmim ${metadata.name} -n ${metadata.namespace}`,
  );
}
