import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { orFail } from './refusal.ts';

interface DryRun extends ConnectionOptions {
  readonly dryRun?: boolean;
}

/** Starts a VM that does not run. */
export function start(name: string, options: DryRun & { readonly paused?: boolean }): Promise<void> {
  return act(name, 'start', options, { ...(options.paused && { paused: true }) }, 'Error starting VirtualMachine');
}

interface Forced extends DryRun {
  readonly force?: boolean;
  readonly gracePeriod?: number;
}

/** Stops a VM: its guest is asked to shut down, and gets the grace period of the VM for it. */
export async function stop(name: string, options: Forced): Promise<void> {
  const gracePeriod = forcedGracePeriod(options);
  if (gracePeriod === undefined) return act(name, 'stop', options, {}, 'error stopping VirtualMachine');
  return act(name, 'stop', options, { gracePeriod }, 'error force stopping VirtualMachine:');
}

/** Stops a VM and starts it again. */
export async function restart(name: string, options: Forced): Promise<void> {
  const gracePeriodSeconds = forcedGracePeriod(options);
  if (gracePeriodSeconds === undefined) return act(name, 'restart', options, {}, 'error restarting VirtualMachine:');
  return act(name, 'restart', options, { gracePeriodSeconds }, 'error force restarting VirtualMachine:');
}

/** A shorter time to shut down loses what the guest has not written, so it takes two flags to say so. */
function forcedGracePeriod({ force = false, gracePeriod }: Forced): number | undefined {
  if (force !== (gracePeriod !== undefined)) {
    throw new Failure('Must both use --force=true and set --grace-period.', 'For example: --force --grace-period 0');
  }
  return gracePeriod;
}

function act(
  name: string,
  action: 'start' | 'stop' | 'restart',
  options: DryRun,
  body: object,
  failure: string,
): Promise<void> {
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachines', name, action);
    await orFail(
      connection,
      (why) => `${failure} ${why}`,
      () => connection.client.call({ method: 'PUT', path, body: { ...body, ...dryRunBody(options) } }),
    );
    console.log(`VM ${name} was scheduled to ${action}`);
  });
}
