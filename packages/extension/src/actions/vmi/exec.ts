import { badRequest, isConditionTrue } from '@vireo/api';
import { ExecOptions, ExecStatus, FileContent, FileWriteOptions } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import { isPaused, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmiAction } from '../action.ts';
import { vmiConflict } from '../refusals.ts';

/** Whoever may run commands is root in the guest, as whoever may set its passwords by access credentials. */
const minimumRole = 'edit';

/** Shorter than anybody between the client and the node waits for an answer. */
const MAX_WAIT_SECONDS = 20;

/** Standard input goes to the agent in one message; one of several hundred kilobytes stalls it. */
const MAX_STDIN_KIB = 64;

const waitSecondsQuery = {
  name: 'waitSeconds',
  type: 'integer',
  description: `Seconds to wait for the end of the command, from 0 to ${MAX_WAIT_SECONDS}. Defaults to ${MAX_WAIT_SECONDS}.`,
} as const;

export const exec = vmiAction<ExecOptions>({
  name: 'exec',
  method: 'PUT',
  minimumRole,
  summary:
    'Runs a command in the guest through the guest agent. Responds when the command ends, or after `waitSeconds` with its PID.',
  body: ExecOptions,
  response: { status: 200, schema: ExecStatus },
  decide({ vmi }, { body }) {
    const { command = [], stdin, waitSeconds = MAX_WAIT_SECONDS } = body;
    if (!command[0]) throw badRequest('command must name a program');
    requireBase64('stdin', stdin);
    requireSmallInput(stdin);
    requireWait(waitSeconds);
    requireAgent(vmi);
    const dryRunResponse = { apiVersion: 'subresources.kubevirt.io/v1', kind: 'ExecStatus', pid: 0, exited: false };
    return { type: 'call', path: 'exec', body: { command, waitSeconds, ...(stdin && { stdin }) }, dryRunResponse };
  },
});

export const execStatus = vmiAction<unknown>({
  name: 'exec',
  method: 'GET',
  minimumRole,
  parameters: ['pid'],
  query: [waitSecondsQuery],
  summary: 'Waits at most `waitSeconds` for a command that `exec` started. The output is returned only once.',
  response: { status: 200, schema: ExecStatus },
  decide({ vmi }, { parameters: { pid = '' }, query }) {
    if (!/^[1-9][0-9]{0,9}$/.test(pid)) throw badRequest(`pid ${JSON.stringify(pid)} is not a number`);
    const waitSeconds = Number(query.get('waitSeconds') ?? MAX_WAIT_SECONDS);
    requireWait(waitSeconds);
    requireAgent(vmi);
    return { type: 'call', path: `exec/status?pid=${pid}&waitSeconds=${waitSeconds}` };
  },
});

export const readFile = vmiAction<unknown>({
  name: 'file',
  method: 'GET',
  minimumRole,
  query: [
    { name: 'path', type: 'string', description: 'Absolute path of the file in the guest.', isRequired: true },
    { name: 'offset', type: 'integer', description: 'Position of the first byte to read. Defaults to 0.' },
  ],
  summary: 'Reads up to 1 MiB of the guest file `path` through the guest agent, starting at `offset`.',
  response: { status: 200, schema: FileContent },
  decide({ vmi }, { query }) {
    const [path, offset] = [query.get('path') ?? '', query.get('offset') ?? '0'];
    requirePath(path);
    if (!/^[0-9]{1,15}$/.test(offset)) throw badRequest(`offset ${JSON.stringify(offset)} is not a number of bytes`);
    requireAgent(vmi);
    return { type: 'call', path: `file/read?${new URLSearchParams({ path, offset })}` };
  },
});

export const writeFile = vmiAction<FileWriteOptions>({
  name: 'file',
  method: 'PUT',
  minimumRole,
  summary: 'Writes or appends to a guest file through the guest agent.',
  body: FileWriteOptions,
  response: { status: 200 },
  decide({ vmi }, { body }) {
    const { path = '', content = '', append = false } = body;
    requirePath(path);
    requireBase64('content', content);
    requireAgent(vmi);
    return { type: 'call', path: 'file/write', body: { path, content, append } };
  },
});

function requireWait(seconds: number): void {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_WAIT_SECONDS)
    throw badRequest(`waitSeconds ${seconds} is not a number from 0 to ${MAX_WAIT_SECONDS}`);
}

function requireAgent(vmi: Vmi): void {
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
  if (isPaused(vmi)) throw vmiConflict(vmi, 'VMI is paused');
  if (!isConditionTrue(vmi, 'AgentConnected')) throw vmiConflict(vmi, 'VMI does not have guest agent connected');
}

/** The agent resolves other paths against a directory of its own. */
function requirePath(path: string): void {
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(path) || path.includes('\0'))
    throw badRequest(`path ${JSON.stringify(path)} is not an absolute path of the guest`);
}

function requireSmallInput(stdin = ''): void {
  if (Buffer.byteLength(stdin, 'base64') > MAX_STDIN_KIB << 10)
    throw badRequest(
      `stdin is larger than ${MAX_STDIN_KIB} KiB, the limit of the guest agent: ` +
        'write it to a file with the file subresource, and have the command read the file',
    );
}

function requireBase64(field: string, text: string | undefined): void {
  if (text && !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw badRequest(`${field} is not encoded in base64`);
}
