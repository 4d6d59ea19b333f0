import { Node, Pod } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { isLeftForMaintenance, isShutDownForMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { isFinalMigration, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { type ControllerContext, Expectations, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { LAUNCHERS_BY_VMI } from '../launchersByVmi.ts';
import { MIGRATIONS_BY_VMI, vmiKeyOf } from '../migrationsByVmi.ts';
import { VMIS_BY_NODE } from '../vmisByNode.ts';
import { evacuationActions } from './act.ts';
import { drainSettings, hasDrainTaint } from './decide.ts';
import { reconcileEvacuation } from './reconcile.ts';

/** Moves guests away from nodes that are to be emptied: by a migration each, which others carry out. */
export async function startEvacuationController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const vmis = informers.for(Vmi, { indexes: VMIS_BY_NODE });
  const vms = informers.for(Vm);
  const nodes = informers.for(Node);
  const migrations = informers.for(Migration, { indexes: MIGRATIONS_BY_VMI });
  const launchers = informers.for(Pod, { labelSelector: LAUNCHER_SELECTOR, indexes: LAUNCHERS_BY_VMI });
  const { kubevirts, config } = cachedConfig(informers);
  const settings = () => drainSettings(config());
  const isLeft = (node: Node): boolean => isLeftForMaintenance(node) || hasDrainTaint(node, settings().drainTaintKey);
  const vmisOn = ({ metadata }: Node) => vmis.byIndex('node', metadata.name ?? '').map(keyOf);
  /** Those that settings may move: they are marked, or their node is to be left. */
  const leaving = (): string[] => {
    const left = new Set(nodes.list().filter(isLeft).map(keyOf));
    const isConcerned = ({ status }: Vmi) => Boolean(status?.evacuationNodeName) || left.has(status?.nodeName ?? '');
    return vmis.list().filter(isConcerned).map(keyOf);
  };
  const expectations = new Expectations(clock);
  const act = evacuationActions(client, recorder, expectations);
  await runController(
    {
      name: 'evacuation',
      for: vmis,
      watches: [
        watch(migrations, {
          added(migration) {
            expectations.creationObserved(vmiKeyOf(migration));
            return undefined;
          },
          changed: vmiKeyOf,
          deleted: vmiKeyOf,
        }),
        watch(nodes, {
          added: (node) => (isLeft(node) ? vmisOn(node) : []),
          updated: (old, node) => (isLeft(node) && !isLeft(old) ? vmisOn(node) : []),
        }),
        watch(kubevirts, {
          added: leaving,
          updated: (old, now) => (deepEqual(settingsIn(old), settingsIn(now)) ? [] : leaving()),
          deleted: leaving,
        }),
        // A VM and its VMI have the same key.
        watch(vms, {
          updated: (old, vm) => (isShutDownForMaintenance(old) !== isShutDownForMaintenance(vm) ? keyOf(vm) : []),
        }),
      ],
      reads: [launchers],
      expectations,
      reconcile: async (key) => {
        const vmi = vmis.get(key);
        if (!vmi) return;
        const vm = vms.get(key);
        const { drainTaintKey, evictionStrategy } = settings();
        await reconcileEvacuation(
          {
            vmi,
            node: nodes.get(vmi.status?.nodeName ?? ''),
            launchers: launchers.byIndex('launcherOf', vmi.metadata.uid),
            strategy: vmi.spec.evictionStrategy ?? evictionStrategy,
            drainTaintKey,
            isShutDownForMaintenance: vm !== undefined && isShutDownForMaintenance(vm),
            isMigrating: !migrations.byIndex('vmiKey', key).every(isFinalMigration) || !expectations.isSatisfied(key),
          },
          act,
          new Date(clock.now()),
        );
      },
    },
    context,
    signal,
  );
}

const settingsIn = (kubevirt: KubeVirt) => drainSettings(clusterConfig(kubevirt));
