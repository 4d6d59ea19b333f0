import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** The path of a program; also where those of the administrator are, which users do not have on their PATH. */
export async function findProgram(name: string): Promise<string> {
  for (const directory of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    const candidate = join(directory, name);
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // The next directory may have it.
    }
  }
  throw new Error(`${name} is not installed; \`npm test\` installs what the tests need`);
}
