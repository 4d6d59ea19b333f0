/** A guest that runs, and how long it took, in milliseconds from the moment that it was asked for. */
export interface RunningGuest {
  /** Until whoever runs it says that it runs. */
  readonly runningMs: number;
  /** Until its first byte came out of the serial port. */
  readonly firstByteMs: number;
}

/** Starts a guest and waits for its first byte. */
export type Start = () => Promise<RunningGuest>;

/** A way to run guests. */
export interface Contestant {
  /** Does everything for one that is not part of the way itself; what it resolves with starts the guest. */
  prepare(number: number): Promise<Start>;
  /** Removes all that were started. */
  clear(): Promise<void>;
}
