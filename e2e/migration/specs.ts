import { ApiError, Event, hasEnded, type KubeObject, Namespace, Node, type Persisted, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { MigrationPolicy, type MigrationPolicySpec } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { type Client, type Draft, ignoreNotFound } from '@vireo/kube';
import { expect, vi } from 'vitest';
import { kubectlFor } from '../kubectl.ts';
import { typeVireo } from '../vireo.ts';

/** Whether all specs run, also those that take minutes: `npm run specs`. */
export const isWhole = process.env.VIREO_TEST_SPECS === 'all';

/** How long one step may take on a busy host; KubeVirt gives a migration 240 seconds. */
const PATIENCE_MS = isWhole ? 240_000 : 45_000;
const POLL_MS = 50;

/** What a migration is asked for with. */
export interface MigrationRequest {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly addedNodeSelector?: Readonly<Record<string, string>>;
}

/** A cluster whose VMIs migrate, and the steps that KubeVirt's functional tests of migrations are made of. */
export class Specs {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly kubectl;
  /** The namespace of the test that runs; it has one of its own. */
  namespace = '';
  #count = 0;

  constructor(client: Client, kubeconfig: string, cache: string) {
    this.client = client;
    this.kubeconfig = kubeconfig;
    this.kubectl = kubectlFor(kubeconfig, cache);
  }

  /** Begins a test: in an empty namespace, with the settings of a new cluster. */
  async begin(configuration: object): Promise<void> {
    this.namespace = `spec-${++this.#count}`;
    await this.client.of(Namespace).create({ metadata: { name: this.namespace } });
    await this.configure(configuration);
  }

  /** Ends a test: what it has made goes, so that the next one finds empty nodes. */
  async end(): Promise<void> {
    const at = { namespace: this.namespace };
    await this.client.of(Migration).deleteCollection(at);
    await this.client.of(MigrationPolicy).deleteCollection();
    await this.client.call({
      method: 'DELETE',
      path: `/apis/kubevirt.io/v1/namespaces/${this.namespace}/virtualmachines`,
    });
    await this.client.of(Vmi).deleteCollection(at);
    await this.until(async () => {
      expect((await this.client.of(Vmi).list(at)).items).toEqual([]);
      expect((await this.client.of(Pod).list(at)).items.map(({ metadata }) => metadata.name)).toEqual([]);
    });
  }

  /** Waits until a check holds; its value. */
  until<T>(check: () => Promise<T>, timeout = PATIENCE_MS): Promise<T> {
    return vi.waitFor(check, { timeout, interval: POLL_MS });
  }

  /** Checks again and again, for as long as KubeVirt's spec does where all specs run, and for a moment otherwise. */
  async consistently(check: () => Promise<unknown>, seconds: number): Promise<void> {
    const untilMs = performance.now() + (isWhole ? seconds * 1000 : 800);
    do {
      await check();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    } while (performance.now() < untilMs);
  }

  /** Changes the settings of the cluster; `null` takes one back. */
  async configure(configuration: object): Promise<void> {
    const at = { namespace: 'kubevirt', type: 'merge' } as const;
    await this.client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, at);
  }

  /** Runs `vireo …` on the namespace. */
  vireo(command: string): Promise<string> {
    return typeVireo(`${command} -n ${this.namespace}`, this.kubeconfig);
  }

  /** Starts a VMI; resolves when it runs. */
  async run(draft: Draft<Vmi>): Promise<Vmi> {
    const { metadata } = await this.create(draft);
    return this.running(metadata.name);
  }

  /** Starts a VMI whose migration takes long enough to be ended by somebody. */
  async slow(draft: Draft<Vmi>): Promise<Vmi> {
    return this.run(await this.policyFor(draft, { bandwidthPerMigration: '1Ki' }));
  }

  create(draft: Draft<Vmi>): Promise<Vmi> {
    return this.client.of(Vmi).create({ ...draft, metadata: { ...draft.metadata, namespace: this.namespace } });
  }

  running(name: string): Promise<Vmi> {
    return this.until(async () => {
      const vmi = await this.vmi(name);
      expect(vmi.status?.phase, name).toBe('Running');
      expect(conditionOf(vmi, 'LiveMigratable')?.status).toBeDefined();
      return vmi;
    });
  }

  vmi(name: string): Promise<Vmi> {
    return this.client.of(Vmi).get(name, { namespace: this.namespace });
  }

  /** The launcher pods of a VMI, also those that have ended. */
  async launchers({ metadata }: Vmi): Promise<Persisted<Pod>[]> {
    const labelSelector = `kubevirt.io=virt-launcher,${CREATED_BY_LABEL}=${metadata.uid}`;
    return (await this.client.of(Pod).list({ namespace: this.namespace, labelSelector })).items;
  }

  /** The launcher pod of a VMI's guest. */
  async launcher({ metadata }: Vmi): Promise<Persisted<Pod>> {
    const vmi = await this.vmi(metadata.name);
    const found = (await this.launchers(vmi)).filter(
      (pod) => pod.spec?.nodeName === vmi.status?.nodeName && !hasEnded(pod),
    );
    expect(found.length, 'launchers on the node of the guest').toBe(1);
    return found[0] as Persisted<Pod>;
  }

  /** Asks for the eviction of a pod; the refusal, if there is one. */
  async evict(pod: Persisted<Pod>, deleteOptions?: object): Promise<ApiError | undefined> {
    const { name, namespace } = pod.metadata;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
    try {
      await this.client.of(Pod).createSubresource(name, 'eviction', eviction, { namespace });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /** Has a VMI leave its node by the eviction of its launcher. */
  async evacuate(vmi: Vmi): Promise<void> {
    const refused = await this.evict(await this.launcher(vmi));
    expect(refused?.code).toBe(429);
    expect(refused?.message).toContain('Eviction triggered evacuation of VMI');
  }

  /** Asks for a migration. */
  migrate({ metadata }: Vmi, { name, annotations, addedNodeSelector }: MigrationRequest = {}): Promise<Migration> {
    return this.client.of(Migration).create({
      metadata: {
        ...(name ? { name } : { generateName: 'test-migration-' }),
        namespace: this.namespace,
        ...(annotations && { annotations: { ...annotations } }),
      },
      spec: { vmiName: metadata.name, ...(addedNodeSelector && { addedNodeSelector: { ...addedNodeSelector } }) },
    });
  }

  async migrations(): Promise<Migration[]> {
    return (await this.client.of(Migration).list({ namespace: this.namespace })).items;
  }

  migration({ metadata }: Migration): Promise<Migration> {
    return this.client.of(Migration).get(metadata.name, { namespace: this.namespace });
  }

  /** Waits for a phase; fails at once where the migration has ended in another one. */
  async untilPhase(migration: Migration, ...wanted: string[]): Promise<Migration> {
    let ended: Migration | undefined;
    const reached = await this.until(async () => {
      const now = await this.migration(migration);
      const phase = now.status?.phase ?? '';
      if (['Succeeded', 'Failed'].includes(phase) && !wanted.includes(phase)) ended = now;
      else expect(wanted).toContain(phase);
      return now;
    });
    expect(ended?.status, `instead of ${wanted}`).toBeUndefined();
    return reached;
  }

  async gone(migration: Migration): Promise<void> {
    await this.until(async () =>
      expect(
        await this.client.of(Migration).find(migration.metadata.name, { namespace: this.namespace }),
      ).toBeUndefined(),
    );
  }

  /** Migrates, and waits until that has succeeded. */
  async migrated(vmi: Vmi, request?: MigrationRequest): Promise<Migration> {
    return this.untilPhase(await this.migrate(vmi, request), 'Succeeded');
  }

  /** Migrates, and waits until that has failed. */
  async notMigrated(vmi: Vmi, request?: MigrationRequest): Promise<Migration> {
    return this.untilPhase(await this.migrate(vmi, request), 'Failed');
  }

  async deleteMigration({ metadata }: Migration): Promise<void> {
    await this.client.of(Migration).delete(metadata.name, { namespace: this.namespace }).catch(ignoreNotFound);
  }

  /** What holds of every VMI that has migrated. */
  async confirmMigrated({ metadata }: Vmi, migration: Migration): Promise<Vmi> {
    const vmi = await this.vmi(metadata.name);
    const { migrationState: state, nodeName, phase } = vmi.status ?? {};
    expect(state?.startTimestamp).toBeTruthy();
    expect(state?.endTimestamp).toBeTruthy();
    expect(state?.targetNodeDomainReadyTimestamp).toBeTruthy();
    expect(state?.targetNode).toBe(nodeName);
    expect(state?.targetNode).not.toBe(state?.sourceNode);
    expect(state?.completed).toBe(true);
    expect(state?.failed ?? false).toBe(false);
    expect(state?.targetNodeAddress).toBeTruthy();
    expect(state?.migrationUid).toBe(migration.metadata.uid);
    expect(phase).toBe('Running');
    return vmi;
  }

  /** What holds of every VMI whose migration has failed after it was handed over. */
  async confirmFailed({ metadata }: Vmi, migration: Migration): Promise<Vmi> {
    const vmi = await this.vmi(metadata.name);
    const { migrationState: state, nodeName, phase } = vmi.status ?? {};
    expect(state?.startTimestamp).toBeTruthy();
    expect(state?.endTimestamp).toBeTruthy();
    expect(state?.sourceNode).toBe(nodeName);
    expect(state?.targetNode).not.toBe(state?.sourceNode);
    expect(state?.completed).toBe(true);
    expect(state?.failed).toBe(true);
    expect(state?.targetNodeAddress).toBeTruthy();
    expect(state?.migrationUid).toBe(migration.metadata.uid);
    expect(phase).toBe('Running');
    return vmi;
  }

  /** Waits until a VMI has migrated away from a node, and nothing is left to do. */
  untilMovedFrom(name: string, source: string | undefined): Promise<Vmi> {
    return this.until(async () => {
      const vmi = await this.vmi(name);
      const { nodeName, migrationState, evacuationNodeName = '', phase } = vmi.status ?? {};
      expect(phase).toBe('Running');
      expect(nodeName).not.toBe(source);
      expect(migrationState?.sourceNode).toBe(source);
      expect(evacuationNodeName).toBe('');
      return vmi;
    });
  }

  /** Waits until the migration of a VMI is aborted; what holds then. */
  async confirmAborted(vmi: Vmi, migration: Migration): Promise<Vmi> {
    await this.until(async () =>
      expect((await this.vmi(vmi.metadata.name)).status?.migrationState).toMatchObject({
        completed: true,
        abortStatus: 'Succeeded',
      }),
    );
    const aborted = await this.confirmFailed(vmi, migration);
    expect(aborted.status?.migrationState?.abortRequested).toBe(true);
    return aborted;
  }

  /** Waits until the target pod of the VMI's migration has ended. */
  async untilTargetEnded({ metadata }: Vmi): Promise<Persisted<Pod>> {
    const { targetPod = '' } = (await this.vmi(metadata.name)).status?.migrationState ?? {};
    return this.until(async () => {
      const pod = await this.client.of(Pod).get(targetPod, { namespace: this.namespace });
      expect(['Failed', 'Succeeded']).toContain(pod.status?.phase);
      return pod;
    });
  }

  /** A policy for a VMI that is made afterwards, with the label that it goes by. */
  async policyFor(draft: Draft<Vmi>, spec: Omit<MigrationPolicySpec, 'selectors'>): Promise<Draft<Vmi>> {
    const label = { 'test.vireo.dev/policy': this.namespace };
    const selectors = { virtualMachineInstanceSelector: label };
    await this.client.of(MigrationPolicy).create({
      metadata: { name: `policy-${this.namespace}` },
      spec: { ...spec, selectors },
    });
    return { ...draft, metadata: { ...draft.metadata, labels: { ...draft.metadata.labels, ...label } } };
  }

  /** The events of an object, of a type and for a reason. */
  async events({ metadata }: KubeObject, type: string, reason: string): Promise<Persisted<Event>[]> {
    const { items } = await this.client.of(Event).list({ namespace: this.namespace });
    return items.filter(
      (event) => event.involvedObject.uid === metadata.uid && event.type === type && event.reason === reason,
    );
  }

  async expectEvent(object: KubeObject, type: string, reason: string): Promise<void> {
    await this.until(async () => expect(await this.events(object, type, reason), reason).not.toEqual([]));
  }

  /** Changes a node; `null` takes a label or a taint back. */
  async patchNode(name: string, change: { labels?: object; spec?: object }): Promise<void> {
    const body = {
      ...(change.labels && { metadata: { labels: change.labels } }),
      ...(change.spec && { spec: change.spec }),
    };
    await this.client.of(Node).patch(name, body, { type: 'merge' });
  }

  async taint(name: string, key: string): Promise<void> {
    const { spec } = await this.client.of(Node).get(name);
    await this.patchNode(name, { spec: { taints: [...(spec?.taints ?? []), { key, effect: 'NoSchedule' }] } });
  }

  /**
   * Drains a node as KubeVirt's tests do: it gets the taint of nodes to be emptied, and kubectl evicts the launchers. The
   * result waits until kubectl finds the node empty, where all specs run; kubectl looks every five seconds.
   */
  async drain(name: string): Promise<() => Promise<void>> {
    await this.taint(name, 'kubevirt.io/drain');
    const options = '--delete-emptydir-data --pod-selector=kubevirt.io=virt-launcher --ignore-daemonsets --force';
    const draining = this.kubectl.start(`drain ${name} ${options} --timeout=180s`);
    return async () => {
      const { code, stderr } = await (isWhole ? draining.ended : draining.stop());
      if (isWhole) expect(code, stderr).toBe(0);
    };
  }
}

/** A condition of an object, if it has it. */
export const conditionOf = ({ status }: Vmi | Migration, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);
