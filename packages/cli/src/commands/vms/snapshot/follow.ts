import type { Kind, KubeObject } from '@vireo/api';
import { Failure } from '../../../failure.ts';
import { progressDisplay } from '../../../progress/progressDisplay.ts';
import type { Connection } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';

export interface FollowOptions extends ConnectionOptions {
  readonly wait: boolean;
  readonly timeout: number;
  readonly dryRun?: boolean;
}

/** How something is going that somebody waits for. */
export type Progress = { readonly is: 'done' } | { readonly is: 'failed' | 'under way'; readonly why: string };

const INTERVAL_MS = 500;

/** Waits until an object has become what it is meant to be; how far it is goes to standard error. */
export async function follow<T extends KubeObject>(
  connection: Connection,
  kind: Kind<T>,
  name: string,
  { timeout }: Pick<FollowOptions, 'timeout'>,
  progressOf: (object: T) => Progress,
): Promise<T> {
  const { client, namespace } = connection;
  let last = '';
  const display = progressDisplay(process.stderr, { announcesLabels: true });
  const ask = async (): Promise<T | undefined> => {
    const object = await orFail(
      connection,
      (why) => `cannot follow ${kind.kind} ${name}: ${why}`,
      () => client.of(kind).get(name, { namespace }),
    );
    const progress = progressOf(object);
    if (progress.is === 'done') return object;
    if (progress.is === 'failed')
      throw new Failure(`${kind.kind} ${name} failed: ${progress.why}`, describeHint(kind, name, namespace));
    last = progress.why;
    display.update({ label: last });
    return undefined;
  };
  const found = await waitFor(ask, { timeoutMs: timeout * 1000, intervalMs: INTERVAL_MS }).finally(() =>
    display.clear(),
  );
  if (found) return found;
  throw new Failure(
    `${kind.kind} ${name} is not complete after ${timeout} s${last ? `: ${last}` : ''}`,
    `It continues in the background. ${describeHint(kind, name, namespace)}`,
  );
}

const describeHint = ({ plural }: Kind, name: string, namespace: string): string =>
  `For details: kubectl describe ${plural} ${name} -n ${namespace}`;

/** The VM's name and the moment: `web-20260102-030405`. */
export const timestampedName = (vm: string, now: Date): string =>
  `${vm}-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
