import { ApiError, badRequest } from '@vireo/api';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import type { Active } from './actions.ts';

/** Libvirt carries texts of 4 MiB; the agent's are in base64. */
const MOST_OUTPUT_MIB = 3;

/** Asks the guest's agent, and tells its refusals in words that help. */
export async function askAgent(
  { domain, key }: Pick<Active, 'domain' | 'key'>,
  { libvirt }: Pick<NodeContext, 'libvirt'>,
  execute: string,
  args: object,
): Promise<Record<string, unknown>> {
  try {
    const command = JSON.stringify({ execute, arguments: args });
    const answer = await libvirt.long.agentCommand(domain.ref, command, TIMEOUT_SECONDS);
    return (JSON.parse(answer ?? '{}') as { return?: Record<string, unknown> }).return ?? {};
  } catch (error) {
    throw isLibvirtError(error) ? agentRefusal(key, execute, error) : error;
  }
}

/** Twice this and what a command is waited for are less than the extension waits for an answer. */
const TIMEOUT_SECONDS = 15;

/** What libvirt says of an agent that refuses, is silent, or answers more than libvirt carries. */
export function agentRefusal(key: string, execute: string, { message, codeName }: AgentError): ApiError {
  const [, agentText] = /unable to execute QEMU agent command '[^']*': (.*)/s.exec(message) ?? [];
  const refused = agentText?.replace(/^Guest agent command failed, error was '(.*)'$/s, '$1');
  if (refused && /has been disabled|has not been found|not allowed/i.test(refused))
    return refusal(`the guest agent of ${key} does not allow ${execute}: ${refused}`, 'AgentCommandDisabled');
  if (refused && isUnknownPid(execute, refused))
    return new ApiError('NotFound', `exec did not start this command in ${key}, or its output was already read`);
  if (refused) return refusal(`the guest agent of ${key} refused the command: ${refused}`, 'AgentCommandFailed');
  if (['AGENT_UNRESPONSIVE', 'AGENT_UNSYNCED', 'OPERATION_INVALID'].includes(codeName))
    return new ApiError('Conflict', `the guest agent of ${key} does not respond: ${message}`);
  if (/encode|too (?:big|large|long)|exceed/i.test(message))
    return badRequest(
      `the output of the command in ${key} is larger than ${MOST_OUTPUT_MIB} MiB, the limit of ` +
        'libvirt: write it to a file and copy the file',
    );
  return new ApiError('InternalError', `${execute} in ${key}: ${message}`);
}

/** In the words of agents on Linux, and of those on Windows. */
const isUnknownPid = (execute: string, refused: string): boolean =>
  refused === "Invalid parameter 'pid'" || (execute === 'guest-exec-status' && /^PID .* does not exist$/.test(refused));

type AgentError = { readonly message: string; readonly codeName: string };

const refusal = (message: string, reason: string): ApiError =>
  new ApiError('BadRequest', message, { causes: [{ reason, message }] });
