import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { LibvirtError } from '@vireo/libvirt';
import { describe, expect, it } from 'vitest';
import { agentRefusal } from './guestCommand.ts';
import { execStatus, startCommand } from './guestExec.ts';
import { writeGuestFile } from './guestFiles.ts';

const KIND = { apiVersion: 'subresources.kubevirt.io/v1', kind: 'ExecStatus', pid: 7 };

describe('a command in the guest', () => {
  it.each([
    ['runs', { exited: false }, { exited: false }],
    [
      'has ended',
      { exited: true, exitcode: 2, 'out-data': 'aGk=', 'err-data': 'bm8=' },
      { exited: true, exitCode: 2, stdout: 'aGk=', stderr: 'bm8=' },
    ],
    ['said nothing', { exited: true, exitcode: 0 }, { exited: true, exitCode: 0, stdout: '', stderr: '' }],
    ['was killed', { exited: true, signal: 9 }, { exited: true, signal: 9, stdout: '', stderr: '' }],
    [
      'said too much',
      { exited: true, exitcode: 0, 'out-data': 'aGk=', 'out-truncated': true, 'err-truncated': true },
      { exited: true, exitCode: 0, stdout: 'aGk=', stderr: '', stdoutTruncated: true, stderrTruncated: true },
    ],
  ])('that %s is told as such', (_, response, expected) => {
    expect(execStatus(7, response)).toEqual({ ...KIND, ...expected });
  });
});

describe('an agent that', () => {
  const command = "internal error: unable to execute QEMU agent command 'guest-exec': ";
  it.each([
    [
      'must not run commands',
      { message: `${command}Command guest-exec has been disabled`, codeName: 'INTERNAL_ERROR' },
      {
        code: 400,
        message: 'the guest agent of lab/web does not allow guest-exec: Command guest-exec has been disabled',
        reasons: ['AgentCommandDisabled'],
      },
    ],
    [
      'finds no such program',
      {
        message: `${command}Guest agent command failed, error was 'Failed to execute child process “x” (No such file or directory)'`,
        codeName: 'INTERNAL_ERROR',
      },
      {
        code: 400,
        message:
          'the guest agent of lab/web refused the command: Failed to execute child process “x” (No such file or directory)',
        reasons: ['AgentCommandFailed'],
      },
    ],
    [
      'knows no such PID',
      { message: `${command}Invalid parameter 'pid'`, codeName: 'INTERNAL_ERROR' },
      {
        code: 404,
        message: 'exec did not start this command in lab/web, or its output was already read',
        reasons: [],
      },
    ],
    [
      'runs on Windows and knows no such PID',
      { message: `${command}PID 42 does not exist`, codeName: 'INTERNAL_ERROR' },
      {
        code: 404,
        message: 'exec did not start this command in lab/web, or its output was already read',
        reasons: [],
      },
    ],
    [
      'says more than libvirt carries',
      { message: 'Unable to encode message payload', codeName: 'RPC' },
      {
        code: 400,
        message:
          'the output of the command in lab/web is larger than 3 MiB, the limit of libvirt: ' +
          'write it to a file and copy the file',
        reasons: [],
      },
    ],
    [
      'is silent',
      { message: 'Guest agent is not responding: guest agent is not connected', codeName: 'AGENT_UNRESPONSIVE' },
      {
        code: 409,
        message:
          'the guest agent of lab/web does not respond: Guest agent is not responding: guest agent is not connected',
        reasons: [],
      },
    ],
  ])('%s is reported with the reason', (_, error, expected) => {
    const execute = expected.code === 404 ? 'guest-exec-status' : 'guest-exec';
    const { code, message, status } = agentRefusal('lab/web', execute, error);
    expect({ code, message, reasons: (status.details?.causes ?? []).map(({ reason }) => reason) }).toEqual(expected);
  });
});

describe('a guest agent', () => {
  const local = { key: 'lab/web', domain: { ref: {} } } as unknown as Parameters<typeof startCommand>[0];
  const { signal } = new AbortController();

  /** Answers by command; an error is thrown. */
  const agent = (answer: (command: string) => object | Error) => {
    const asked: string[] = [];
    const agentCommand = async (_: unknown, text: string): Promise<string> => {
      const { execute } = JSON.parse(text) as { execute: string };
      asked.push(execute);
      const response = answer(execute);
      if (response instanceof Error) throw response;
      return JSON.stringify({ return: response });
    };
    const context = { clock: new FakeClock(), libvirt: { long: { agentCommand } } };
    return { asked, context: context as unknown as Parameters<typeof startCommand>[1] };
  };

  it('that stops answering once a command runs leaves the caller with its PID', async () => {
    const message = 'Guest agent is not responding';
    const silent = new LibvirtError({ code: 86, domain: 0, level: 2, message, procedure: 'agentCommand' });
    const { context } = agent((execute) => (execute === 'guest-exec' ? { pid: 7 } : silent));
    const body = { command: ['sleep', '9'], waitSeconds: 20 };
    const query = new URLSearchParams();
    expect(await startCommand(local, context, { body, query, signal })).toEqual({ ...KIND, exited: false });
  });

  it('gets no more of a file when whoever sent it has gone, and closes it', async () => {
    const gone = new AbortController();
    const { asked, context } = agent((execute) => {
      if (execute === 'guest-file-write') gone.abort();
      return { count: 48 << 10 };
    });
    const body = { path: '/tmp/x', content: Buffer.alloc(200 << 10).toString('base64') };
    const input = { body, query: new URLSearchParams(), signal: gone.signal };
    await expect(writeGuestFile(local, context, input)).rejects.toThrow('aborted');
    expect(asked).toEqual(['guest-file-open', 'guest-file-write', 'guest-file-close']);
  });
});
