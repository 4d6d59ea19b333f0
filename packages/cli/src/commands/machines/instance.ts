import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { orFail } from './refusal.ts';

const REBOOTS = {
  'soft-reboot': { action: 'softreboot', doing: 'soft rebooting' },
  reset: { action: 'reset', doing: 'reseting' },
} as const;

/** Asks the guest to reboot (`soft-reboot`), or reboots it as the button on a case does (`reset`). */
export function reboot(command: keyof typeof REBOOTS, name: string, options: ConnectionOptions): Promise<void> {
  const { action, doing } = REBOOTS[command];
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, action);
    await orFail(
      connection,
      (why) => `Error ${doing} VirtualMachineInstance ${name}: ${why}`,
      () => connection.client.call({ method: 'PUT', path }),
    );
    console.log(`VMI ${name} was scheduled to ${command}`);
  });
}

const LISTS = { guestosinfo: 'guestosinfo', userlist: 'userlist', fslist: 'filesystemlist' } as const;

/** Prints what the agent in the guest tells: the system, who is logged in, the file systems. */
export function guestInfo(command: keyof typeof LISTS, name: string, options: ConnectionOptions): Promise<void> {
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, LISTS[command]);
    const told = await orFail(
      connection,
      (why) => `Error getting ${LISTS[command]} of VirtualMachineInstance ${name}, ${why}`,
      () => connection.client.call({ method: 'GET', path }),
    );
    console.log(JSON.stringify(told, undefined, 2));
  });
}
