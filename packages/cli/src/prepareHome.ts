import { accessSync, constants, opendirSync } from 'node:fs';
import { Failure } from './failure.ts';
import { makeDirectory } from './makeDirectory.ts';
import { readServerRecord } from './serverRecord.ts';
import { explainHomeError } from './startError.ts';

/** Makes sure of the directory of a home, and that no other server uses it. */
export function prepareHome(home: string): void {
  try {
    makeDirectory(home);
    opendirSync(home).closeSync();
    accessSync(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explainHomeError(error, home);
  }
  const other = readServerRecord(home);
  if (other) {
    throw new Failure(
      `the home ${home} is in use by the server with pid ${other.pid}${other.port ? ` on port ${other.port}` : ''}`,
      `To stop it: vireo down --home ${home}. To start a second server on another home: vireo up --home DIRECTORY --port NUMBER`,
    );
  }
}
