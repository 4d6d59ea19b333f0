import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.ts';

/** Where Debian's C library and the loader of its programs are, in the packages and in the guest. */
export const libraryDirectory = 'usr/lib/x86_64-linux-gnu';
export const loader = join(libraryDirectory, 'ld-linux-x86-64.so.2');

/** Debian's packages, unpacked into one directory. */
export class Unpacked {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  async kernelVersion(): Promise<string> {
    const [version] = await readdir(this.path('usr/lib/modules'));
    if (!version) throw new Error(`no kernel in ${this.path('usr/lib/modules')}`);
    return version;
  }

  /** Runs one of the unpacked programs with the unpacked libraries: the host's own may be missing or older. */
  run(program: string, args: readonly string[]): Promise<string> {
    return runCommand(this.path(loader), ['--library-path', this.path(libraryDirectory), this.path(program), ...args]);
  }

  /** The shared libraries that a program needs, as paths on this host. */
  async librariesOf(program: string): Promise<string[]> {
    const args = ['--library-path', this.path(libraryDirectory), '--list', this.path(program)];
    const listing = await runCommand(this.path(loader), args);
    const missing = /^\s*(\S+) => not found/m.exec(listing)?.[1];
    if (missing) throw new Error(`${program} needs ${missing}, which is in none of the packages`);
    return [...listing.matchAll(/=> (\/\S+) \(/g)].map(([, path = '']) => path);
  }
}
