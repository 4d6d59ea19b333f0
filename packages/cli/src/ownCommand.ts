import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../bin/vireo', import.meta.url));

/** A manifest to begin with. */
export const firstVm = fileURLToPath(new URL('../../../examples/first-vm.yaml', import.meta.url));

/** How the user can call this program from anywhere: by its name where that is on the PATH, else by its path. */
export function ownCommand(path: string = process.env.PATH ?? ''): string {
  const isThere = (directory: string): boolean => {
    try {
      accessSync(join(directory, 'vireo'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return path.split(delimiter).filter(Boolean).some(isThere) ? 'vireo' : program;
}
