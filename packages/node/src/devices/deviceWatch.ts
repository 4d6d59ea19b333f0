import { type Clock, systemClock } from '@vireo/kube';
import { DeviceHealth, type DeviceSite, type DeviceState } from './deviceHealth.ts';
import type { WantedDevice } from './wanted.ts';

export interface DeviceWatchOptions extends DeviceSite {
  /** Called when a device came, went, or began or ceased to work. */
  readonly onChange: () => void;
  readonly pollMs?: number;
  readonly clock?: Clock;
}

/** Asking the kernel to tell would be worse: it tells of every byte that anybody writes to /dev/null as well. */
const POLL_MS = 2_000;

/**
 * Follows the devices that a node is to offer: which are there, and which work. It does not know who listens, so that
 * the status of our own node and a plug-in of a kubelet can both be fed from it.
 */
export class DeviceWatch {
  readonly #options: DeviceWatchOptions;
  readonly #health: DeviceHealth;
  readonly #clock: Clock;
  #wanted: readonly WantedDevice[] = [];
  #states: readonly DeviceState[] = [];
  #cancel = (): void => {};
  #checking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: DeviceWatchOptions) {
    this.#options = options;
    this.#health = new DeviceHealth(options);
    this.#clock = options.clock ?? systemClock;
  }

  /** What is known now. */
  get states(): readonly DeviceState[] {
    return this.#states;
  }

  /** Follows these from now on; resolves when each was looked at. */
  follow(wanted: readonly WantedDevice[]): Promise<void> {
    this.#wanted = wanted;
    return this.#check();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** One look after the other: a slow one must not overwrite what a later one saw. */
  #check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#checkNow());
    return this.#checking;
  }

  async #checkNow(): Promise<void> {
    if (this.#isClosed) return;
    const wanted = this.#wanted;
    const states = await Promise.all(wanted.map((device) => this.#health.check(device)));
    const isSame = JSON.stringify(states) === JSON.stringify(this.#states);
    this.#states = states;
    this.#cancel();
    if (this.#isClosed) return;
    this.#cancel = this.#clock.after(this.#options.pollMs ?? POLL_MS, () => void this.#check());
    if (!isSame) this.#options.onChange();
  }
}
