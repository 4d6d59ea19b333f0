/** Bodies and answers of the subresources that run commands in a guest and read and write its files. They are Vireo's own. */
import { boolean, type Infer, int32, int64, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const ExecOptions = struct(
  'io.vireo.v1.ExecOptions',
  'Options of the exec subresource: a command to run in the guest.',
  {
    command: required(list(string, 'atomic'), 'Program and its arguments. No shell interprets them.'),
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    stdin: optional(string, 'Standard input of the command, encoded in base64. At most 64 KiB before it is encoded.'),
    waitSeconds: optional(int32, 'Seconds to wait for the end of the command, from 0 to 20. Defaults to 20.'),
  },
);
export interface ExecOptions extends Infer<typeof ExecOptions> {}

export const ExecStatus = struct(
  'io.vireo.v1.ExecStatus',
  'Response of the exec subresource: a command that the guest agent has started.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    exitCode: optional(int64, 'Exit code of the command. Missing if a signal ended it.'),
    exited: required(boolean, 'Whether the command has ended. If not, ask again with its PID.'),
    kind: optional(string, 'Kind of the object.'),
    pid: required(int64, 'PID of the command in the guest.'),
    signal: optional(int64, 'Number of the signal that ended the command.'),
    stderr: optional(string, 'Standard error of the command, encoded in base64. Set when it has ended.'),
    stderrTruncated: optional(boolean, 'Whether the agent has kept only the beginning of standard error.'),
    stdout: optional(string, 'Standard output of the command, encoded in base64. Set when it has ended.'),
    stdoutTruncated: optional(boolean, 'Whether the agent has kept only the beginning of standard output.'),
  },
);
export interface ExecStatus extends Infer<typeof ExecStatus> {}

export const FileWriteOptions = struct(
  'io.vireo.v1.FileWriteOptions',
  'Options of the file subresource: bytes to write to a file of the guest.',
  {
    append: optional(boolean, 'Whether to add to the end of the file. Without it the file is replaced.'),
    content: required(string, 'Bytes to write, encoded in base64.'),
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    path: required(string, 'Absolute path of the file in the guest.'),
  },
);
export interface FileWriteOptions extends Infer<typeof FileWriteOptions> {}

export const FileContent = struct(
  'io.vireo.v1.FileContent',
  'Response of the file subresource: bytes of a file of the guest.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    content: required(string, 'Bytes of the file, encoded in base64.'),
    eof: required(boolean, 'Whether the file ends with these bytes.'),
    kind: optional(string, 'Kind of the object.'),
    offset: required(int64, 'Position of the first of these bytes in the file.'),
  },
);
export interface FileContent extends Infer<typeof FileContent> {}
