import {
  conditionOf,
  field,
  hasEnded,
  type Infer,
  isConditionTrue,
  isDeleting,
  Node,
  type Persisted,
  Pod,
} from '@vireo/api';
import { allowsNode } from '@vireo/api/kinds/core/nodeMatch.ts';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { takesVmi } from '@vireo/api/kinds/harvester/maintenance.ts';
import { MIGRATION_TARGET_NODE } from '@vireo/api/kinds/harvester/names.ts';
import { isFinalMigration, Migration, selectMigrationsOf } from '@vireo/api/kinds/kubevirt/migration.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import { clusterConfig, migrationSelector } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import type { Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { CREATE_MIGRATIONS } from '../../actions/vm/migrate.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';

type Target = Targets['virtualmachines'];

const HOSTNAME = 'kubernetes.io/hostname';

const MigrateInput = struct('io.harvesterhci.v1beta1.MigrateInput', 'Where to migrate the VM.', {
  nodeName: optional(string, 'Name of the target node. If empty, the scheduler chooses one.'),
});
interface MigrateInput extends Infer<typeof MigrateInput> {}

const MigratableNodes = struct(
  'io.harvesterhci.v1beta1.FindMigratableNodesOutput',
  'Nodes that the VM can migrate to.',
  {
    nodes: required(list(string), 'Names of the nodes.'),
  },
);

/** Why a VM cannot migrate, whatever nodes there are. */
function obstacle({ vmi }: Target): string | undefined {
  if (!vmi || !isRunning(vmi) || isDeleting(vmi)) return 'it is not running';
  const { nodeSelector, domain } = vmi.spec;
  if (nodeSelector?.[HOSTNAME]) return `its nodeSelector names the node ${nodeSelector[HOSTNAME]}`;
  if (domain.devices?.hostDevices?.length || domain.devices?.gpus?.length) return 'it has devices of its host';
  const migratable = conditionOf(vmi, 'LiveMigratable');
  if (migratable?.status === 'False')
    return `it cannot be migrated while it runs: ${migratable.message ?? migratable.reason ?? ''}`;
  return undefined;
}

/** The migration of the VM that has not ended. */
export async function activeMigration({ vm }: Target, client: Client): Promise<Migration | undefined> {
  const { name, namespace } = vm.metadata;
  const { items } = await client.of(Migration).list({ namespace, ...selectMigrationsOf(name) });
  return items.find((each) => each.spec.vmiName === name && !isFinalMigration(each));
}

/** The nodes that would take the guest, by what its target pod would ask for; none where there is no launcher, or more than one. */
async function migratableNodes(vmi: Vmi, client: Client): Promise<Persisted<Node>[]> {
  const labelSelector = `${CREATED_BY_LABEL}=${vmi.metadata.uid}`;
  const [nodes, pods] = await Promise.all([
    client.of(Node).list(),
    client.of(Pod).list({ namespace: vmi.metadata.namespace, labelSelector }),
  ]);
  const [launcher, ...others] = pods.items.filter((pod) => !hasEnded(pod) && !isDeleting(pod));
  if (!launcher || others.length > 0) return [];
  const sourceNode = nodes.items.find(({ metadata }) => metadata.name === vmi.status?.nodeName);
  const moving = migrationSelector({ vmi, source: launcher, sourceNode, config: clusterConfig(undefined) });
  const nodeSelector = { ...moving, ...launcher.spec?.nodeSelector };
  return nodes.items.filter(
    (node) => node.metadata.name !== vmi.status?.nodeName && takesVmi(node, vmi) && allowsNode({ nodeSelector }, node),
  );
}

async function isOffered(target: Target, { client }: { readonly client: Client }): Promise<boolean> {
  if (obstacle(target) || (await client.of(Node).list()).items.length < 2) return false;
  return (await activeMigration(target, client)) === undefined;
}

const READS = [
  { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['list'] },
  { apiGroups: [Migration.group], resources: [Migration.plural], verbs: ['list'] },
];

export const migrate = harvesterAction('virtualmachines')<MigrateInput>({
  name: 'migrate',
  method: 'PUT',
  minimumRole: 'migrate',
  summary: 'Moves the running VM to another node: to `nodeName`, or to one that the scheduler chooses.',
  body: MigrateInput,
  needs: [...READS, CREATE_MIGRATIONS],
  isListed: isOffered,
  async act(target, { body: { nodeName = '' } }, { client, dryRun }) {
    const { vm, vmi } = target;
    const why = obstacle(target);
    if (why !== undefined || !vmi) throw vmConflict(vm, why ?? 'it is not running');
    if (!isConditionTrue(vmi, 'Ready')) throw vmConflict(vm, 'it is not ready');
    if (nodeName === vmi.status?.nodeName && nodeName !== '')
      throw invalidField(field.invalid('nodeName', nodeName, 'the VM runs on this node'));
    const nodes = await migratableNodes(vmi, client);
    const chosen = nodes.find(({ metadata }) => metadata.name === nodeName);
    if (nodeName !== '' && !chosen)
      throw invalidField(
        field.invalid('nodeName', nodeName, `must be one of: ${names(nodes).join(', ') || 'no node'}`),
      );
    if (nodes.length === 0) throw vmConflict(vm, 'no other node can run it');
    const { name, namespace } = vm.metadata;
    const hostname = chosen?.metadata.labels?.[HOSTNAME] ?? nodeName;
    await client.of(Migration).create(
      {
        metadata: {
          generateName: `${name}-`,
          namespace,
          // Its controller tells it on the VMI, and takes it back when the migration has ended.
          ...(chosen && { annotations: { [MIGRATION_TARGET_NODE]: nodeName } }),
        },
        spec: { vmiName: name, ...(chosen && { addedNodeSelector: { [HOSTNAME]: hostname } }) },
      },
      { dryRun },
    );
    return undefined;
  },
});

export const abortMigration = harvesterAction('virtualmachines')({
  name: 'abortMigration',
  method: 'PUT',
  minimumRole: 'migrate',
  summary: 'Cancels the migration of the VM.',
  needs: [...READS, { apiGroups: [Migration.group], resources: [Migration.plural], verbs: ['delete'] }],
  isListed: async (target, { client }) => {
    const active = target.vmi && (await activeMigration(target, client));
    return active !== undefined && !isDeleting(active);
  },
  async act(target, _, { client, dryRun }) {
    const active = await activeMigration(target, client);
    if (!active) throw vmConflict(target.vm, 'it is not being migrated');
    const { name, namespace, uid } = active.metadata;
    await client.of(Migration).delete(name, { namespace, dryRun, preconditions: { uid } });
    return undefined;
  },
});

export const findMigratableNodes = harvesterAction('virtualmachines')({
  name: 'findMigratableNodes',
  method: 'GET',
  minimumRole: 'migrate',
  summary: 'Lists the nodes that the VM can migrate to.',
  response: { status: 200, schema: MigratableNodes },
  needs: READS,
  isListed: isOffered,
  decide(target) {
    const { vm, vmi } = target;
    const why = obstacle(target);
    if (why !== undefined || !vmi) throw vmConflict(vm, why ?? 'it is not running');
    return { type: 'respond', respond: async ({ client }) => ({ nodes: names(await migratableNodes(vmi, client)) }) };
  },
});

const names = (nodes: readonly Persisted<Node>[]): string[] => nodes.map(({ metadata }) => metadata.name).sort();
