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

const QUESTIONS = {
  guestosinfo: { action: 'guestosinfo', doing: 'getting guestosinfo' },
  userlist: { action: 'userlist', doing: 'listing users' },
  fslist: { action: 'filesystemlist', doing: 'listing filesystems' },
} as const;

/** Prints what the agent in the guest tells: the system, who is logged in, the file systems. */
export function guestInfo(command: keyof typeof QUESTIONS, name: string, options: ConnectionOptions): Promise<void> {
  const { action, doing } = QUESTIONS[command];
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, action);
    const info = await orFail(
      connection,
      (why) => `Error ${doing} of VirtualMachineInstance ${name}, ${why}`,
      () => connection.client.call({ method: 'GET', path }),
    );
    console.log(JSON.stringify(info, undefined, 2));
  });
}
