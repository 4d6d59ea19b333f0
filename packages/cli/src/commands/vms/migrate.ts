import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { orFail } from './refusal.ts';

interface DryRun extends ConnectionOptions {
  readonly dryRun?: boolean;
}

interface MigrateOptions extends DryRun {
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
  });
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
