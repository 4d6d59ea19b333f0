import type { KubeObject, Namespace, Persisted, Pod, Service } from '@vireo/api';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type Clock,
  type ControllerMetrics,
  type EventRecorder,
  keyOf,
  type Log,
  runController,
  WorkQueue,
  watch,
} from '@vireo/kube';
import {
  type Fragment,
  forgetFlows,
  isolationFragment,
  mergeFragments,
  type Ruleset,
  serviceFragment,
} from '@vireo/network';
import { podAddresses } from './addresses.ts';
import type { CardStore } from './cards.ts';
import { endedFlows, type Flow, flowsOf } from './flows.ts';
import { listeningPorts } from './listening.ts';
import { ELSEWHERE, type NetworkObjects, serviceKeyOf } from './objects.ts';
import { isolationOf, looksElsewhere } from './policies.ts';
import { PolicyMembers } from './policyMembers.ts';
import { servicePorts, type TakenPort, withoutTaken } from './services.ts';

export interface RulesContext {
  readonly objects: NetworkObjects;
  readonly ruleset: Ruleset;
  readonly cards: Pick<CardStore, 'get' | 'all'>;
  readonly node: string;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

type Labels = Readonly<Record<string, string>>;

/** Keeps the rules of a node true to the Services and policies of the cluster. */
export class NetworkRules {
  readonly #context: RulesContext;
  readonly #queue: WorkQueue;
  readonly #isListening = listeningPorts();
  /** The labels of guests, as their pods have them. */
  readonly #labels = new Map<string, Labels>();
  /** Whom policies name, by their keys in the queue. */
  readonly #members = new Map<string, PolicyMembers>();
  /** The ports that Services were refused, by their keys. */
  readonly #taken = new Map<string, string>();
  /** Where Services for datagrams lead, by the keys of the queue. */
  readonly #flows = new Map<string, readonly Flow[]>();

  constructor(context: RulesContext) {
    this.#context = context;
    this.#queue = new WorkQueue({ clock: context.clock });
  }

  /** Loads all rules at once, and follows changes until `signal` aborts. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { objects, ruleset, cards, log, metrics, clock } = this.#context;
    const { informers, services, slices, policies, namespaces, pods } = objects;
    informers.start(signal);
    await informers.whenSynced();
    // Of two that name the same external address, the older one has it.
    for (const service of services.list().toSorted(byAge)) this.#put(`service/${keyOf(service)}`);
    for (const policy of policies.list()) this.#put(`policy/${keyOf(policy)}`);
    for (const { uid } of cards.all()) this.#put(`guest/${uid}`);
    await ruleset.apply();
    const ended = runController(
      {
        name: 'network-rules',
        queue: this.#queue,
        watches: [
          watch(services, (service) => `service/${keyOf(service)}`),
          watch(slices, (slice) => `service/${serviceKeyOf(slice)}`),
          watch(policies, (policy) => [`policy/${keyOf(policy)}`, ...this.#guestsIn(policy.metadata.namespace ?? '')]),
          watch(namespaces, {
            added: () => this.#policiesThatLookElsewhere(),
            updated: (old, namespace) =>
              hasSameLabels(old, namespace) ? undefined : this.#policiesThatLookElsewhere(),
            deleted: () => this.#policiesThatLookElsewhere(),
          }),
          watch(pods, {
            added: (pod) => this.#affected(pod),
            updated: (old, pod) =>
              isSamePeer(old, pod) ? undefined : [...this.#affected(old), ...this.#affected(pod)],
            deleted: (pod) => this.#affected(pod),
          }),
        ],
        // Whatever changes while rules are on their way to the kernel goes there together.
        concurrency: 32,
        reconcile: async (key) => {
          const before = this.#flows.get(key) ?? [];
          this.#put(key);
          await ruleset.apply();
          for (const flows of endedFlows(before, this.#flows.get(key) ?? [])) await forgetFlows(flows);
          return undefined;
        },
      },
      { log, clock, ...(metrics && { metrics }) },
      signal,
    );
    return { ended };
  }

  /** Has the policies of a guest in place; to be applied before it can send. */
  prepareGuest(uid: string, labels: Labels): void {
    this.#labels.set(uid, labels);
    this.#put(`guest/${uid}`);
  }

  /** Has a key's rules in the next change, with those that refer to them or that they refer to. */
  #put(key: string): void {
    const { ruleset, cards, objects } = this.#context;
    const [kind, name = ''] = key.split('/');
    if (kind === 'pod') this.#putPod(key.slice(kind.length + 1));
    else this.#putAlone(key);
    // The rules of guests jump to those of policies: both come and go together.
    if (kind === 'policy') for (const guest of this.#guestsIn(name)) this.#putAlone(guest);
    const card = kind === 'guest' ? cards.get(name) : undefined;
    for (const policy of card ? objects.policies.byIndex('namespace', card.namespace) : []) {
      const owner = `policy/${keyOf(policy)}`;
      if (!ruleset.has(owner)) this.#putAlone(owner);
    }
  }

  /** Has what a pod is to policies in the next change; what else they name stays as it is. */
  #putPod(name: string): void {
    const { ruleset, objects } = this.#context;
    const pod = objects.pods.get(name);
    const near = objects.policies
      .byIndex('namespace', name.split('/')[0] ?? '')
      .map((policy) => `policy/${keyOf(policy)}`);
    for (const key of new Set([...near, ...this.#policiesThatLookElsewhere()])) {
      // One that is not known yet will ask for all pods.
      const members = this.#members.get(key);
      if (members) ruleset.change(key, members.change(name, pod, pod ? this.#namespacesOf(pod) : []));
    }
  }

  #namespacesOf({ metadata }: Pod): Namespace[] {
    const namespace = this.#context.objects.namespaces.get(metadata.namespace ?? '');
    return namespace ? [namespace] : [];
  }

  #putAlone(key: string): void {
    const { ruleset } = this.#context;
    const fragment = this.#fragment(key);
    if (fragment) ruleset.put(key, fragment);
    else ruleset.drop(key);
  }

  #fragment(key: string): Fragment | undefined {
    const { objects, cards, node } = this.#context;
    const slash = key.indexOf('/');
    const name = key.slice(slash + 1);
    switch (key.slice(0, slash)) {
      case 'service': {
        const service = objects.services.get(name);
        if (!service) {
          this.#taken.delete(name);
          this.#flows.delete(key);
          return undefined;
        }
        const ports = servicePorts(service, objects.slices.byIndex('service', name), node).map((port) =>
          withoutTaken(port, this.#isListening),
        );
        this.#reportTaken(
          service,
          ports.flatMap(({ taken }) => taken),
        );
        const flows = ports.flatMap(({ port }) => flowsOf(port));
        if (flows.length > 0) this.#flows.set(key, flows);
        else this.#flows.delete(key);
        return mergeFragments(ports.map(({ port }) => serviceFragment(port)));
      }
      case 'policy': {
        const policy = objects.policies.get(name);
        if (!policy) {
          this.#members.delete(key);
          return undefined;
        }
        const members = new PolicyMembers(policy);
        const { pods } = objects;
        for (const pod of looksElsewhere(policy)
          ? pods.list()
          : pods.byIndex('namespace', policy.metadata.namespace ?? ''))
          members.change(keyOf(pod), pod, this.#namespacesOf(pod));
        this.#members.set(key, members);
        return members.fragment();
      }
      default: {
        const card = cards.get(name);
        if (!card) {
          this.#labels.delete(name);
          return undefined;
        }
        // A guest whose pod is not known yet, or no longer, is not without its policies.
        const [pod] = objects.pods.byIndex('vmi', name).filter(({ spec }) => spec?.nodeName === node);
        if (pod) this.#labels.set(name, pod.metadata.labels ?? {});
        const labels = this.#labels.get(name);
        if (!labels) return undefined;
        const guest = { metadata: { namespace: card.namespace, labels } };
        const policies = objects.policies.byIndex('namespace', card.namespace);
        return isolationFragment({
          address: card.address,
          ...(card.address6 !== undefined && { address6: card.address6 }),
          ...isolationOf(guest, policies),
        });
      }
    }
  }

  /** Says so when a Service is first refused a port, or another one. */
  #reportTaken(service: Persisted<Service>, taken: readonly TakenPort[]): void {
    const { recorder, node } = this.#context;
    const key = keyOf(service);
    const list = taken.map(({ address = 'node', protocol, port }) => `${address}:${port}/${protocol.toUpperCase()}`);
    const text = list.join(', ');
    if (this.#taken.get(key) === (text || undefined)) return;
    if (text === '') {
      this.#taken.delete(key);
      return;
    }
    this.#taken.set(key, text);
    const message = `node ${node} does not lead ${text} to this Service: a program on the node listens there`;
    recorder.event(service, 'Warning', 'PortInUse', message);
  }

  #guestsIn(namespace: string): string[] {
    return [...this.#context.cards.all()]
      .filter((card) => card.namespace === namespace)
      .map(({ uid }) => `guest/${uid}`);
  }

  #policiesThatLookElsewhere(): string[] {
    return this.#context.objects.policies.byIndex('scope', ELSEWHERE).map((policy) => `policy/${keyOf(policy)}`);
  }

  /** What may change with a pod: what it is to policies, and its own rules. */
  #affected(pod: Persisted<Pod>): string[] {
    const { cards } = this.#context;
    const uid = pod.metadata.labels?.[CREATED_BY_LABEL];
    const isGuest = uid !== undefined && (cards.get(uid) !== undefined || this.#labels.has(uid));
    return [`pod/${keyOf(pod)}`, ...(isGuest ? [`guest/${uid}`] : [])];
  }
}

const byAge = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number =>
  (a.creationTimestamp ?? '') < (b.creationTimestamp ?? '') ? -1 : 1;

const hasSameLabels = (a: Namespace | KubeObject, b: Namespace | KubeObject): boolean =>
  JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels);

const isSamePeer = (a: Pod, b: Pod): boolean =>
  hasSameLabels(a, b) &&
  JSON.stringify(podAddresses(a)) === JSON.stringify(podAddresses(b)) &&
  a.status?.phase === b.status?.phase &&
  a.spec?.nodeName === b.spec?.nodeName;
