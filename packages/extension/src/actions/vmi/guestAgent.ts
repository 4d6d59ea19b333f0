import { isConditionTrue, type Schema } from '@vireo/api';
import {
  VirtualMachineInstanceFileSystemList,
  VirtualMachineInstanceGuestAgentInfo,
  VirtualMachineInstanceGuestOSUserList,
} from '@vireo/api/kinds/kubevirt/guestAgent.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmiAction } from '../action.ts';
import { vmiConflict } from '../refusals.ts';

/** Something that only the guest's agent knows. */
const fromAgent = (name: string, schema: Schema, summary: string) =>
  vmiAction<unknown>({
    name,
    method: 'GET',
    minimumRole: 'view',
    summary,
    response: { status: 200, schema },
    decide({ vmi }) {
      if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
      if (!isConditionTrue(vmi, 'AgentConnected')) throw vmiConflict(vmi, 'VMI does not have guest agent connected');
      return { type: 'call', path: name };
    },
  });

export const guestOsInfo = fromAgent(
  'guestosinfo',
  VirtualMachineInstanceGuestAgentInfo,
  "Returns the guest's operating system, as the guest agent reports it.",
);
export const userList = fromAgent(
  'userlist',
  VirtualMachineInstanceGuestOSUserList,
  'Returns the users who are logged in to the guest.',
);
export const filesystemList = fromAgent(
  'filesystemlist',
  VirtualMachineInstanceFileSystemList,
  "Returns the guest's file systems.",
);
