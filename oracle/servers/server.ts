import type { Wire } from '../../security/wire.ts';

/** A server that cases are played on. */
export interface PlayedServer extends AsyncDisposable {
  readonly name: 'real' | 'ours';
  readonly wire: Wire;
  /** What it has printed last, for when it does not answer. */
  output(): string;
}
