import { conditionOf, type Persisted, type Pod, type Service } from '@vireo/api';

interface Known {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * Knows which change the endpoints of a Service follow, so that the time until they are in force can be measured: the
 * earliest of what happened since the last look, which is a pod's change of readiness or the Service's creation.
 */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** When the change happened that made this look necessary; undefined where none is known. To be called once a look. */
  next(key: string, { metadata }: Persisted<Service>, pods: readonly Persisted<Pod>[]): string | undefined {
    const before = this.#known.get(key);
    const service = metadata.creationTimestamp ?? '';
    const times = new Map(pods.flatMap((pod) => timeOf(pod)));
    this.#known.set(key, { service, pods: times });
    if (!before) return service || undefined;
    const changed = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? '')).map(([, time]) => time);
    if (service > before.service) changed.push(service);
    return changed.sort()[0];
  }

  /** The Service is gone. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}

const timeOf = (pod: Persisted<Pod>): [string, string][] => {
  const time = conditionOf(pod, 'Ready')?.lastTransitionTime;
  return time ? [[pod.metadata.name, time]] : [];
};
