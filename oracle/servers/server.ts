import type { Connection } from './connection.ts';

/** A server that cases are played on. */
export interface PlayedServer extends AsyncDisposable {
  readonly name: 'real' | 'ours';
  readonly connection: Pick<Connection, 'send' | 'close'>;
  /** What it has printed last, for when it does not answer. */
  output(): string;
}
