import { isFinalMigration, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { followMigration, migrationsOf, startedByUser } from './followMigration.ts';
import { orFail } from './refusal.ts';

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
    const { addedNodeSelector, dryRun = false, wait = false } = options;
    const isFollowed = wait && !dryRun;
    // The answer does not name the migration that it has made: it is the one that was not there before.
    const before = isFollowed ? await migrationsOf(connection, name) : [];
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
    if (!isFollowed) return;
    const migration = startedByUser(await migrationsOf(connection, name), before);
    if (!migration) throw new Failure(`The migration of VM ${name} is gone`, 'It was cancelled before it began.');
    await followMigration(connection, migration);
  });
}

/** Deletes the migration that is under way: that is how one is called off. */
export function cancelMigration(name: string, options: DryRun): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const active = (await migrationsOf(connection, name)).find((each) => !isFinalMigration(each));
    if (!active) {
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
      () => client.of(Migration).delete(migration, { namespace, dryRun: dryRun !== undefined }),
    );
    console.log(`VM ${name} was scheduled to migrate-cancel`);
  });
}

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
