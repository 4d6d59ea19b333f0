import { Node, PersistentVolumeClaim, Pod } from '@vireo/api';
import { CREATED_BY_LABEL, KUBEVIRT_VERSION, LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type InstancetypeOrPreference, MATCHER_FIELDS, MATCHER_KINDS } from '@vireo/hypervisor';
import type { Informer, Informers, Metrics, ResourceRef, Sample } from '@vireo/kube';
import { cachedConfig } from '../cachedConfig.ts';
import { expander } from './expanded.ts';
import type { FindType } from './labels.ts';
import { readMigrations } from './migrations.ts';
import { NODE_METRICS } from './nodes.ts';
import { readObjects } from './objectMetric.ts';
import { observePhases } from './phases.ts';
import { isOutdated, PHASE_LABELS, phaseSamples, VMI_METRICS, type VmiContext } from './vmis.ts';
import { VM_METRICS, type VmContext } from './vms.ts';

/** What dashboards want to know of nodes and VMs, under KubeVirt's names: read off the caches of the controllers. */
export function observeVms(metrics: Metrics, informers: Informers): void {
  const vms = informers.for(Vm);
  const vmis = informers.for(Vmi);
  const claims = informers.for(PersistentVolumeClaim);
  const nodes = informers.for(Node);
  const migrations = informers.for(VirtualMachineInstanceMigration);
  const launchers = informers.for(Pod, {
    labelSelector: LAUNCHER_SELECTOR,
    indexes: { vmi: ({ metadata }) => [metadata.labels?.[CREATED_BY_LABEL] ?? ''] },
  });
  const { config } = cachedConfig(informers);
  const findType = typeFinder(informers);
  const vmContext: VmContext = { findType, claim: (key) => claims.get(key), expanded: expander(findType, config) };
  const vmiContext: VmiContext = {
    findType,
    launcher: (uid) => launchers.byIndex('vmi', uid)[0],
    evictionStrategy: () => config().evictionStrategy,
  };

  const versions = { name: 'kubevirt_info', help: 'Version information.', labels: ['goversion', 'kubeversion'] };
  const version = [{ labels: [`node ${process.version}`, KUBEVIRT_VERSION], value: 1 }];
  metrics.read({ ...versions, type: 'gauge' }, () => version);
  readObjects(metrics, VM_METRICS, () => vms.list(), vmContext);
  readObjects(metrics, VMI_METRICS, () => vmis.list(), vmiContext);
  readObjects(metrics, NODE_METRICS, () => nodes.list(), undefined);
  readMigrations(metrics, () => migrations.list());
  countVms(metrics, vms, vmis, vmiContext);
  observePhases(metrics, vmis);
  observeCreations(metrics, vms);
}

function countVms(metrics: Metrics, vms: Informer<Vm>, vmis: Informer<Vmi>, context: VmiContext): void {
  const perNamespace = () => countBy(vms.list(), ({ metadata }) => metadata.namespace ?? '');
  let counted: readonly Sample[] = [];
  metrics.prepare(async () => {
    counted = phaseSamples(vmis.list(), context);
  });
  const phases = () => counted;
  for (const [name, prefix] of [
    ['node:kubevirt_vmi_phase:sum', ''],
    ['kubevirt_vmi_phase_count', '[Deprecated] Replaced by node:kubevirt_vmi_phase:sum. '],
  ] as const)
    metrics.read(
      { name, help: `${prefix}Sum of VMIs per phase and node.`, type: 'gauge', labels: PHASE_LABELS },
      phases,
    );
  for (const [name, prefix] of [
    ['namespace:kubevirt_vm:sum', ''],
    ['kubevirt_number_of_vms', '[Deprecated] Replaced by namespace:kubevirt_vm:sum. '],
  ] as const)
    metrics.read(
      { name, help: `${prefix}The number of VMs in the cluster by namespace.`, type: 'gauge', labels: ['namespace'] },
      perNamespace,
    );
  metrics.gauge(
    'kubevirt_vmi_number_of_outdated',
    'Indication for the total number of VirtualMachineInstance workloads that are not running within the most ' +
      'up-to-date version of the virt-launcher environment.',
    () => vmis.list().filter(isOutdated).length,
  );
}

/** Counts VMs that are made from now on; those that were there before are not of this run. */
function observeCreations(metrics: Metrics, vms: Informer<Vm>): void {
  const labels = ['namespace'];
  const all = metrics.counter({
    name: 'kubevirt_vm_created_total',
    help: '[Deprecated] The total number of VMs created by namespace, since the start of the process.',
    labels,
  });
  const byPod = metrics.counter({
    name: 'kubevirt_vm_created_by_pod_total',
    help: '[Deprecated] The total number of VMs created by namespace and virt-api pod, since the start of the process.',
    labels,
  });
  vms.on({
    added: ({ metadata }) => {
      if (!vms.hasSynced) return;
      for (const count of [all, byPod]) count([metadata.namespace ?? '']);
    },
  });
}

function countBy<T>(objects: readonly T[], label: (object: T) => string): { labels: string[]; value: number }[] {
  const counts = new Map<string, number>();
  for (const object of objects) counts.set(label(object), (counts.get(label(object)) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ labels: [value], value: count }));
}

function typeFinder(informers: Informers): FindType {
  const kinds = MATCHER_FIELDS.flatMap((field) => [MATCHER_KINDS[field].namespaced, MATCHER_KINDS[field].cluster]);
  const known = new Map(
    kinds.map((kind) => [kind.plural, informers.for<InstancetypeOrPreference>(kind as ResourceRef)]),
  );
  return (plural, name, namespace) => known.get(plural)?.get(namespace ? `${namespace}/${name}` : name);
}
