import { isReason } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Failure } from '../../failure.ts';
import { programName } from '../../programName.ts';
import { actionPath, type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { dryRunBody } from './dryRun.ts';
import { orFail } from './refusal.ts';

type Action = 'pause' | 'unpause';

const DOING: Readonly<Record<Action, string>> = { pause: 'pausing', unpause: 'unpausing' };

/** Freezes a guest, or lets it go on. A VM is named where it exists; its instance has the same name. */
export function pauseOrUnpause(
  action: Action,
  type: 'vm' | 'vmi',
  name: string,
  options: ConnectionOptions & { readonly dryRun?: boolean },
): Promise<void> {
  return connected(options, async (connection) => {
    const vm = type === 'vm' ? await vmOf(connection, name) : undefined;
    const path = actionPath(connection, 'virtualmachineinstances', name, action);
    await orFail(
      connection,
      (why) => `Error ${DOING[action]} VirtualMachineInstance ${name}: ${why}`,
      () =>
        connection.client.call({ method: 'PUT', path, body: dryRunBody(options) }).catch((error) => {
          throw vm && isHalted(vm) && isReason(error, 'NotFound') ? notSetToRun(action, name) : error;
        }),
    );
    console.log(`VMI ${name} was scheduled to ${action}`);
  });
}

function vmOf(connection: Connection, name: string): Promise<VirtualMachine> {
  return orFail(
    connection,
    (why) => `Error getting VirtualMachine ${name}: ${why}`,
    () => connection.client.of(VirtualMachine).get(name, { namespace: connection.namespace }),
  );
}

const isHalted = ({ spec }: VirtualMachine): boolean => spec.runStrategy === 'Halted' || spec.running === false;

const notSetToRun = (action: Action, name: string): Failure =>
  new Failure(
    `Error ${DOING[action]} VirtualMachineInstance ${name}. VirtualMachine ${name} is not set to run`,
    `To start it: ${programName} start ${name}`,
  );
