import type { Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { toBytes, toMilli } from '@vireo/api/quantity.ts';
import { type ContainerUsage, resourceText } from '../metrics/resourceText.ts';
import { COMPUTE } from '../vmi/launcher.ts';
import type { Stub } from './stub.ts';

/** Annotation of a VMI: the CPU that its guest would use, such as `250m`. */
const SIMULATED_CPU = 'vireo.io/simulated-cpu';
/** Annotation of a VMI: the memory that its guest would use, such as `64Mi`. */
const SIMULATED_MEMORY = 'vireo.io/simulated-memory';

interface Simulated {
  readonly pod: Persisted<Pod>;
  readonly vmi: Vmi;
  readonly stub: Stub;
}

/** What the guests of a node would use, as the annotations of their VMIs say; otherwise nothing. */
export class SimulatedUsage {
  /** What each VMI that ran when last asked had used by then, by its uid. */
  #used: ReadonlyMap<string, { readonly atMs: number; readonly cpuSeconds: number }> = new Map();
  /** What all have used that ever ran here. */
  #cpuSeconds = 0;

  /** What the node would serve at `/metrics/resource`. */
  read(running: readonly Simulated[], nowMs: number): string {
    const used = new Map<string, { atMs: number; cpuSeconds: number }>();
    let memoryBytes = 0;
    const containers = running.map(({ pod, vmi, stub: { startedAtMs } }): ContainerUsage => {
      const { uid, annotations = {} } = vmi.metadata;
      const before = this.#used.get(uid) ?? { atMs: startedAtMs, cpuSeconds: 0 };
      // What it uses now, it has used since it was last asked.
      const cores = amountOf(annotations[SIMULATED_CPU], (text) => Number(toMilli(text)) / 1000);
      const addedSeconds = (cores * Math.max(nowMs - before.atMs, 0)) / 1000;
      const usage = {
        cpuSeconds: before.cpuSeconds + addedSeconds,
        memoryBytes: amountOf(annotations[SIMULATED_MEMORY], (text) => Number(toBytes(text))),
      };
      used.set(uid, { atMs: nowMs, cpuSeconds: usage.cpuSeconds });
      this.#cpuSeconds += addedSeconds;
      memoryBytes += usage.memoryBytes;
      const { namespace = '', name, uid: podUid } = pod.metadata;
      return { namespace, pod: name, uid: podUid, container: COMPUTE, ...usage, startedAtMs };
    });
    this.#used = used;
    return resourceText({ cpuSeconds: this.#cpuSeconds, memoryBytes }, containers, nowMs);
  }
}

/** What is no amount counts as none: whoever wrote it reads that in the metrics. */
function amountOf(text: string | undefined, read: (text: string) => number): number {
  if (text === undefined) return 0;
  try {
    return Math.max(0, read(text));
  } catch {
    return 0;
  }
}
