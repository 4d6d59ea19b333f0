import { shellWord } from './commands/readyText.ts';
import { errorCode, Failure } from './failure.ts';

/** Says what a failed start means for the user; errors it does not know are returned as they are. */
export function explainStartError(error: unknown, { home, port }: { home: string; port: number }): unknown {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return new Failure(
      `port ${port} is in use by another program`,
      `To see which: ss -ltnp 'sport = :${port}'. Or choose another port: vireo up --home ${shellWord(home)} --port ${port + 1}`,
    );
  }
  if (syscall === 'listen' && (code === 'EACCES' || code === 'EPERM')) {
    return new Failure(
      `this user cannot listen on port ${port}: ports below 1024 need root`,
      `Choose another one, for example: vireo up --home ${shellWord(home)} --port 6443`,
    );
  }
  // By name: importing the class would load the whole server for every command.
  if (error instanceof Error && error.name === 'StoreLocked') {
    return new Failure(`the home ${home} is in use: ${error.message}`);
  }
  if (error instanceof Error && error.name === 'ConfigurationInvalid') return new Failure(error.message);
  if (error instanceof Error && error.name === 'LibvirtdUnavailable') {
    return new Failure(error.message, 'VMs need libvirtd. Without VMs: vireo up --api-only');
  }
  return explainHomeError(error, home);
}

/** The same for what goes wrong with the files of a home. */
export function explainHomeError(error: unknown, home: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new Failure(
        `the home ${home} cannot be created: ${messageOf(error)}`,
        'Choose another one: vireo up --home DIRECTORY (or set VIREO_HOME)',
      );
    case 'EACCES':
    case 'EPERM':
      return new Failure(
        `this user cannot access the home ${home}: ${messageOf(error)}`,
        'Run as the user that owns it, or choose another one: vireo up --home DIRECTORY (or set VIREO_HOME)',
      );
    case 'EROFS':
      return new Failure(
        `the home ${home} is on a read-only file system`,
        'Choose another one: vireo up --home DIRECTORY (or set VIREO_HOME)',
      );
    case 'ENOTDIR':
    case 'EEXIST':
      return new Failure(
        `the home ${home} is not a directory`,
        'Choose another one: vireo up --home DIRECTORY (or set VIREO_HOME)',
      );
    case 'ENOSPC':
      return new Failure(`no space left on the disk of the home ${home}`, `Free some space: df -h ${home}`);
    default:
      return error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
