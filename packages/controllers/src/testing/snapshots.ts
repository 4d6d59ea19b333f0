import { Event, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Client, Draft, ResourceRef, Transport } from '@vireo/kube';
import { afterAll, beforeAll } from 'vitest';
import { Restore } from '../restore/kinds.ts';
import { Snapshot } from '../snapshot/kinds.ts';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from './cluster.ts';
import { observed } from './watching.ts';

export const at = { namespace: NAMESPACE };
export const source = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });
const disk = (name: string) => ({ name, disk: { bus: 'virtio' } });

/** A server with controllers, VMs that run nowhere and storage without data; and what is done with them. */
export function useSnapshots({ node }: { readonly node?: string } = {}) {
  let cluster: Cluster;
  /** What was asked of VMs and guests, in words of the path. */
  const asked: string[] = [];
  /** Volumes that cannot be kept. */
  const stuck = new Set<string>();
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.startNode();
    await cluster.startStorage({ isStuck: (volume) => stuck.has(volume), ...(node && { node }) });
  });
  afterAll(() => cluster?.close());
  const admin = (): Client => cluster.admin;

  /** There is no extension here: subresources are answered as it would, and remembered. */
  const through = (transport: Transport): Transport => ({
    call: async (request) => {
      if (!request.path.startsWith('/apis/subresources.kubevirt.io/')) return transport.call(request);
      const [kind, name, what] = request.path.split('/').slice(-3);
      asked.push(`${what} ${kind} ${name}`);
      if (what === 'stop')
        await admin()
          .of(Vm)
          .patch(name ?? '', { spec: { runStrategy: 'Halted' } }, { ...at, type: 'merge' });
      return { status: 200, headers: {}, body: {} };
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  });
  /** `around`: stands between the controllers and the server, too. */
  const startControllers = (around = (transport: Transport) => transport) =>
    cluster.startControllers({ through: (transport) => through(around(transport)) });

  /** A VM on a DataVolume of its own and a claim that is somebody's. */
  async function createVm(name: string, spec: Partial<Vm['spec']> = {}): Promise<Vm> {
    await admin()
      .of(PersistentVolumeClaim)
      .create({
        metadata: { name: `${name}-data`, ...at },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
    const made = await admin().of(Vm).create(onDisks(name, spec));
    for (const claim of ['root', 'data'])
      await observed<PersistentVolumeClaim>(
        admin(),
        PersistentVolumeClaim,
        ({ metadata, status }) => metadata.name === `${name}-${claim}` && status?.phase === 'Bound',
      );
    return made;
  }

  const take = (name: string, of: string, spec: Partial<Snapshot['spec']> = {}) =>
    admin()
      .of(Snapshot)
      .create({ metadata: { name, ...at }, spec: { source: source(of), ...spec } });
  const restore = (
    name: string,
    spec: Partial<Restore['spec']> & Pick<Restore['spec'], 'virtualMachineSnapshotName'>,
  ) =>
    admin()
      .of(Restore)
      .create({ metadata: { name, ...at }, spec: { target: source(name), ...spec } });

  const until = <T extends KubeObject>(kind: ResourceRef, name: string, fits: (object: T) => boolean): Promise<T> =>
    observed<T>(admin(), kind, (object) => object.metadata.name === name && fits(object));
  const ready = (name: string) => until<Snapshot>(Snapshot, name, ({ status }) => status?.readyToUse === true);
  const isFree = (name: string) =>
    until<Vm>(
      Vm,
      name,
      ({ metadata, status }) =>
        !status?.snapshotInProgress &&
        !status?.restoreInProgress &&
        !metadata.finalizers?.some((each) => each.startsWith('snapshot.kubevirt.io')),
    );
  const complete = (name: string) => until<Restore>(Restore, name, ({ status }) => status?.complete === true);
  /** Resolves when an event of that reason is recorded for the object. */
  const eventRecorded = (name: string, reason: string): Promise<Event> =>
    observed<Event>(admin(), Event, (event) => event.involvedObject.name === name && event.reason === reason);

  return {
    admin,
    asked,
    stuck,
    startControllers,
    createVm,
    take,
    restore,
    until,
    ready,
    isFree,
    complete,
    eventRecorded,
  };
}

/** A VM on a DataVolume of its own and a claim that is somebody's. */
function onDisks(name: string, spec: Partial<Vm['spec']>): Draft<Vm> {
  const { template } = vmDraft(name).spec;
  return vmDraft(name, {
    runStrategy: 'Halted',
    dataVolumeTemplates: [
      {
        metadata: { name: `${name}-root` },
        spec: { pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    ],
    template: {
      metadata: { ...template.metadata, annotations: { 'example.org/keep': 'yes', 'example.org/leave': 'yes' } },
      spec: {
        ...template.spec,
        domain: {
          ...template.spec?.domain,
          devices: {
            disks: ['root', 'data', 'seed'].map(disk),
            interfaces: [{ name: 'default', masquerade: {}, macAddress: '02:00:00:00:00:01' }],
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [
          { name: 'root', dataVolume: { name: `${name}-root` } },
          { name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } },
          { name: 'seed', cloudInitNoCloud: { userData: '#cloud-config' } },
        ],
      },
    },
    ...spec,
  });
}
