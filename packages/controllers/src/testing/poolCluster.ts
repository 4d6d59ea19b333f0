import { Event, findCondition, isDeleting, type KubeObject } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Pool } from '../pool/pool.ts';
import { type Cluster, NAMESPACE, startCluster } from './cluster.ts';
import { poolDraft } from './pools.ts';
import { observed } from './watching.ts';

const at = { namespace: NAMESPACE };

/** A cluster with a node and storage on which all controllers run, and what tests of pools ask of it. */
export async function startPoolCluster() {
  /** Pools whose guests fail as soon as they are started. */
  const crashing = new Set<string>();
  const cluster = await startCluster();
  await cluster.startNode({ crashes: ({ metadata }) => crashing.has(metadata.labels?.pool ?? '') });
  await cluster.startStorage({ reclaims: Promise.resolve() });
  await cluster.startControllers();
  return { ...helpersOf(cluster), cluster, crashing };
}

function helpersOf({ admin }: Cluster) {
  const poolSeen = (name: string, fits: (pool: Pool) => boolean) =>
    observed<Pool>(admin, Pool, (pool) => pool.metadata.name === name && fits(pool));
  const counted = (name: string, count: number) =>
    poolSeen(name, ({ status }) => status?.replicas === count && status.readyReplicas === count);
  const labelled = async (name: string): Promise<Vm[]> =>
    (await admin.of(Vm).list({ ...at, labelSelector: `pool=${name}` })).items;
  return {
    poolSeen,
    /** So many VMs are there, and all are ready. */
    counted,
    labelled,
    vmSeen: (name: string, fits: (vm: Vm) => boolean) =>
      observed<Vm>(admin, Vm, (vm) => vm.metadata.name === name && fits(vm)),
    create: async (
      name: string,
      replicas: number,
      spec: Partial<Pool['spec']> = {},
      vm: Partial<Vm['spec']> = {},
    ): Promise<Pool> => {
      await admin.of(Pool).create(poolDraft(name, replicas, spec, vm));
      return counted(name, replicas);
    },
    patchPool: (name: string, spec: object) => admin.of(Pool).patch(name, { spec }, { ...at, type: 'merge' }),
    /** The VMs of a pool that stay. */
    names: async (name: string): Promise<string[]> =>
      (await labelled(name))
        .filter((vm) => !isDeleting(vm))
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    events: async (name: string): Promise<string[]> =>
      (await admin.of(Event).list(at)).items
        .filter(({ involvedObject }) => involvedObject.kind === Pool.kind && involvedObject.name === name)
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  };
}

export const poolCondition = (pool: Pool, type: string) => findCondition(pool.status?.conditions, type);
export const isOfPool = (name: string) => (object: KubeObject) => object.metadata.labels?.pool === name;

/** For VMs with a disk each, which is ready as soon as it has a volume. */
export const withDisk = (pool: string, storage = '1Gi'): Partial<Vm['spec']> => {
  const { spec } = poolDraft(pool, 1).spec.virtualMachineTemplate;
  const volumes = [{ name: 'root', dataVolume: { name: `${pool}-root` } }];
  const template = { ...spec?.template, spec: { domain: { devices: {} }, ...spec?.template.spec, volumes } };
  const dataVolume = {
    metadata: { name: `${pool}-root` },
    spec: { storage: { storageClassName: 'local', resources: { requests: { storage } } } },
  };
  return { template, dataVolumeTemplates: [dataVolume] };
};
