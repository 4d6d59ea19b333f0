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
    answer: { status: 200, schema },
    decide({ vmi }) {
      if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
      if (!isConditionTrue(vmi, 'AgentConnected')) throw vmiConflict(vmi, 'VMI does not have guest agent connected');
      return { type: 'call', path: name };
    },
  });

export const guestOsInfo = fromAgent(
  'guestosinfo',
  VirtualMachineInstanceGuestAgentInfo,
  'The operating system of the guest, as its agent tells.',
);
export const userList = fromAgent('userlist', VirtualMachineInstanceGuestOSUserList, 'Who is logged in to the guest.');
export const filesystemList = fromAgent(
  'filesystemlist',
  VirtualMachineInstanceFileSystemList,
  'The filesystems of the guest.',
);
