import { type Migration, type MigrationProgress, migrationProgress } from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { orFail } from './refusal.ts';

const MIB = 1024 * 1024;

interface DryRun extends ConnectionOptions {
  readonly dryRun?: boolean;
}

interface MigrateOptions extends DryRun {
  readonly wait?: boolean;
  readonly addedNodeSelector?: Readonly<Record<string, string>>;
}

/** Asks for a move to another node. */
export function migrate(name: string, options: MigrateOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { addedNodeSelector } = options;
    await orFail(
      connection,
      (why) => `Error migrating VirtualMachine ${why}`,
      () =>
        connection.client.call({
          method: 'PUT',
          path: actionPath(connection, 'virtualmachines', name, 'migrate'),
          body: { ...(addedNodeSelector && { addedNodeSelector }), ...dryRunBody(options) },
        }),
    );
    console.log(`VM ${name} was scheduled to migrate`);
    if (options.wait && !options.dryRun) await follow(connection.client, name, connection.namespace);
  });
}

/** Prints how far the migration of a VM is, until it has ended. */
async function follow(client: Client, name: string, namespace: string | undefined): Promise<void> {
  const migrations = client.of(VirtualMachineInstanceMigration);
  const { items, metadata } = await migrations.list({ namespace });
  const [migration] = items
    .filter(({ spec }) => spec.vmiName === name)
    .sort((a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp));
  if (!migration) throw new Failure(`The migration of VM ${name} is gone`, 'It was cancelled before it began.');
  const report = progressReport();
  report(migration);
  if (isFinal(migration.status?.phase)) return concluded(migration);
  const stop = new AbortController();
  const fieldSelector = `metadata.name=${migration.metadata.name}`;
  const { resourceVersion = '' } = metadata ?? {};
  const events = await migrations.watch({ namespace, fieldSelector, resourceVersion, signal: stop.signal });
  const following = reportProgress(client, migration, stop.signal);
  try {
    for await (const event of events) {
      if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
      report(event.object);
      if (event.type === 'DELETED' || isFinal(event.object.status?.phase)) return concluded(event.object);
    }
  } finally {
    stop.abort();
    await following;
  }
  throw new Failure(`The server stopped reporting on the migration of VM ${name}`, `To look: kubectl get vmim`);
}

/** A line for each phase that is new, with the node where that is known. */
function progressReport(): (migration: VirtualMachineInstanceMigration) => void {
  let printed = 0;
  return ({ status }) => {
    const phases = status?.phaseTransitionTimestamps ?? [];
    for (const { phase } of phases.slice(printed)) console.log(`  ${phase}`);
    printed = Math.max(printed, phases.length);
  };
}

/** Prints how much of a guest is on its target, as often as its node says so. */
async function reportProgress(client: Client, migration: Migration, signal: AbortSignal): Promise<void> {
  const { namespace } = migration.metadata;
  const fieldSelector = `metadata.name=${migration.spec.vmiName}`;
  let printed = '';
  try {
    for await (const event of await client.of(Vmi).watch({ namespace, fieldSelector, signal })) {
      if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
      const isThis = event.object.status?.migrationState?.migrationUid === migration.metadata.uid;
      const progress = isThis ? migrationProgress(event.object) : undefined;
      const line = progress ? progressLine(progress) : printed;
      if (line !== printed) console.log(line);
      printed = line;
    }
  } catch {
    // The migration is what counts, and whoever may read that may not be allowed to read VMIs.
  }
}

/** Such as `  40% of 1024 MiB`. */
export const progressLine = ({ percent, totalBytes }: MigrationProgress): string =>
  `  ${percent}% of ${Math.ceil(totalBytes / MIB)} MiB`;

function concluded({ metadata, spec, status }: VirtualMachineInstanceMigration): void {
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

/** Deletes the migration that is under way: that is how one is called off. */
export function cancelMigration(name: string, options: DryRun): Promise<void> {
  return connected(options, async (connection) => {
    const migrations = connection.client.of(VirtualMachineInstanceMigration);
    const { namespace } = connection;
    const { items } = await orFail(
      connection,
      (why) => `Error fetching virtual machine instance migration list  ${why}`,
      () => migrations.list({ namespace }),
    );
    const active = items.find(({ spec, status }) => spec.vmiName === name && !isFinal(status?.phase));
    if (!active?.metadata.name) {
      throw new Failure(
        `Found no migration to cancel for ${name}`,
        `To list migrations: kubectl get vmim -n ${namespace}`,
      );
    }
    const migration = active.metadata.name;
    const { dryRun } = dryRunBody(options);
    await orFail(
      connection,
      (why) => `Error canceling migration ${migration} of a VirtualMachine ${name}: ${why}`,
      () => migrations.delete(migration, { namespace, dryRun: dryRun !== undefined }),
    );
    console.log(`VM ${name} was scheduled to migrate-cancel`);
  });
}

const isFinal = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Lets a VM stay on a node that is being emptied. */
export function cancelEvacuation(type: 'vm' | 'vmi', name: string, options: DryRun): Promise<void> {
  const resource = type === 'vm' ? 'virtualmachines' : 'virtualmachineinstances';
  return connected(options, async (connection) => {
    const target = `${type.toUpperCase()} ${connection.namespace}/${name}`;
    await orFail(
      connection,
      (why) => `error canceling evacuation for ${target}: ${why}`,
      () =>
        connection.client.call({
          method: 'PUT',
          path: actionPath(connection, resource, name, 'evacuate/cancel'),
          body: dryRunBody(options),
        }),
    );
    console.log(`${target} was canceled evacuation`);
  });
}
