import { ApiError, type Persisted, Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { type Client, type Draft, type Informer, Informers } from '@vireo/kube';
import type { NodeLayout } from '@vireo/node';
import { NAMESPACE, vmi } from '../vms/objects.ts';
import { downtimeMs } from './jobInfo.ts';
import type { Plan } from './plan.ts';

/** One move, in milliseconds. */
export interface MoveFigures {
  /** From the start of the move to its end. */
  readonly moveMs: number;
  /** From the request to the end of everything. */
  readonly wholeMs: number;
  /** How long the guest stood still. */
  readonly downtimeMs: number;
  readonly [name: string]: number;
}

type Migration = Persisted<VirtualMachineInstanceMigration>;
type Vmi = Persisted<VirtualMachineInstance>;

/** Guests that Vireo moves between its two nodes, watched from outside as any client would. */
export class VireoMoves implements Disposable {
  readonly #client: Client;
  readonly #layouts: ReadonlyMap<string, NodeLayout>;
  readonly #stopping = new AbortController();
  readonly #vmis: Informer<VirtualMachineInstance>;
  readonly #migrations: Informer<VirtualMachineInstanceMigration>;
  readonly #waiters = new Set<() => void>();
  #count = 0;

  /** `layouts`: of the nodes, by their names. */
  static async start(client: Client, layouts: ReadonlyMap<string, NodeLayout>): Promise<VireoMoves> {
    const informers = new Informers(client);
    const moves = new VireoMoves(client, layouts, informers);
    informers.start(moves.#stopping.signal);
    await informers.whenSynced();
    return moves;
  }

  private constructor(client: Client, layouts: ReadonlyMap<string, NodeLayout>, informers: Informers) {
    this.#client = client;
    this.#layouts = layouts;
    this.#vmis = informers.for(VirtualMachineInstance, { namespace: NAMESPACE });
    this.#migrations = informers.for(VirtualMachineInstanceMigration, { namespace: NAMESPACE });
    const wake = (): void => {
      for (const check of this.#waiters) check();
    };
    for (const informer of [this.#vmis, this.#migrations])
      (informer as unknown as Informer<never>).on({ added: wake, updated: wake, deleted: wake });
  }

  /** Creates a VMI; resolves when it runs, and its agent where it has one. */
  async startGuest(
    name: string,
    { image, memoryMiB }: Pick<Plan, 'image' | 'memoryMiB'>,
    hasAgent: boolean,
  ): Promise<Vmi> {
    await this.#client.of(VirtualMachineInstance).create(movable(name, image, memoryMiB));
    return this.#until(name, ({ status }) => {
      const isConnected = status?.conditions?.some(
        ({ type, status: is }) => type === 'AgentConnected' && is === 'True',
      );
      return status?.phase === 'Running' && (!hasAgent || isConnected === true);
    });
  }

  /** Moves a guest to the other node. */
  async move(name: string): Promise<MoveFigures> {
    const migrationName = `move-${++this.#count}`;
    const postedAt = performance.now();
    const { metadata } = await this.#client.of(VirtualMachineInstanceMigration).create({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: migrationName, namespace: NAMESPACE },
      spec: { vmiName: name },
    });
    const isOurs = ({ status }: Vmi): boolean => status?.migrationState?.migrationUid === metadata.uid;
    const now = (): number => performance.now();
    const [startedAt, endedAt, wholeAt] = await Promise.all([
      this.#until(name, (vmi) => isOurs(vmi) && vmi.status?.migrationState?.startTimestamp !== undefined).then(now),
      this.#until(name, (vmi) => isOurs(vmi) && vmi.status?.migrationState?.endTimestamp !== undefined).then(now),
      this.#ended(migrationName).then(now),
    ]);
    const { status } = this.#vmi(name) ?? {};
    const layout = this.#layouts.get(status?.nodeName ?? '');
    if (!layout) throw new Error(`VMI ${name} is on node ${status?.nodeName}, which is not one of ours`);
    return {
      moveMs: endedAt - startedAt,
      wholeMs: wholeAt - postedAt,
      downtimeMs: await downtimeMs(layout, `${NAMESPACE}_${name}`),
    };
  }

  /** Evicts the launchers of guests; resolves when all are on the other node. */
  async drain(names: readonly string[], to: string): Promise<void> {
    const pods = await this.#client.of(Pod).list({ namespace: NAMESPACE });
    for (const { metadata } of pods.items) {
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: metadata.name, namespace: NAMESPACE },
      };
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/eviction`;
      if (!names.some((name) => metadata.name.startsWith(`virt-launcher-${name}-`))) continue;
      // The eviction is refused, and the guest moves.
      const refused = await this.#client.call({ method: 'POST', path, body }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(refused instanceof ApiError && refused.code === 429)) throw refused ?? new Error(`${path} ended a guest`);
    }
    await Promise.all(names.map((name) => this.#until(name, ({ status }) => status?.nodeName === to)));
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  #vmi(name: string): Vmi | undefined {
    return this.#vmis.get(`${NAMESPACE}/${name}`);
  }

  async #ended(name: string): Promise<void> {
    const find = (): Migration | undefined => {
      const migration = this.#migrations.get(`${NAMESPACE}/${name}`);
      return ['Succeeded', 'Failed'].includes(migration?.status?.phase ?? '') ? migration : undefined;
    };
    const { status } = await this.#found(find);
    if (status?.phase !== 'Succeeded') throw new Error(`migration ${name} has failed: ${JSON.stringify(status)}`);
  }

  #until(name: string, is: (vmi: Vmi) => boolean): Promise<Vmi> {
    return this.#found(() => {
      const vmi = this.#vmi(name);
      if (vmi?.status?.phase === 'Failed') throw new Error(`VMI ${name} has failed: ${JSON.stringify(vmi.status)}`);
      return vmi && is(vmi) ? vmi : undefined;
    });
  }

  /** Calls `find` now and after every change, until it returns something. */
  #found<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        try {
          const found = find();
          if (found === undefined) return;
          this.#waiters.delete(check);
          resolve(found);
        } catch (error) {
          this.#waiters.delete(check);
          reject(error as Error);
        }
      };
      this.#waiters.add(check);
      check();
    });
  }
}

/** The guest as a VMI that a drain has move. */
function movable(name: string, image: string, memoryMiB: number): Draft<VirtualMachineInstance> {
  const draft = vmi(name);
  const { domain } = draft.spec;
  return {
    ...draft,
    spec: {
      ...draft.spec,
      evictionStrategy: 'LiveMigrate',
      domain: { ...domain, memory: { guest: `${memoryMiB}Mi` } },
      volumes: [{ name: 'root', containerDisk: { image } }],
    },
  };
}
