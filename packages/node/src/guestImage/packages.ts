import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';

/** A Debian package as the mirror offers it now. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
}

/** Points to the newest kernel; only that kernel's own package is fetched, for what else it wants is of no use here. */
const kernelPackage = 'linux-image-amd64';

/**
 * Fetched without what they depend on: copying files into the guest needs the server's side of ssh alone, and boot
 * loaders with Microsoft's and Debian's signatures need nothing but firmware.
 */
const lonePackages = ['openssh-sftp-server', 'shim-signed', 'grub-efi-amd64-signed'];

/** What the guest runs and what builds it. Their dependencies come along. */
const wantedPackages = [
  'busybox-static',
  'dropbear-bin',
  'e2fsprogs',
  'mtools',
  'opendoas',
  'libpam-modules',
  'qemu-guest-agent',
  'syslinux',
  'syslinux-common',
  'xz-utils',
];

/** Most of what is in the packages, and of no use here. */
const unneeded = [
  'share/doc',
  'share/locale',
  'share/man',
  'kernel/sound',
  'drivers/gpu',
  'drivers/media',
  'net/wireless',
];

/** Asks apt for the packages of the image, without changing the system and without being root. */
export class Apt {
  readonly #directory: string;
  #lists: readonly string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * The packages in the versions that apt would install now. Apt takes seconds for the answer, so the last one is kept
   * for as long as the machine's package lists stay as they are.
   */
  async resolve(): Promise<DebianPackage[]> {
    const known = join(dirname(this.#directory), 'packages.json');
    const lists = await stateOfLists();
    const last = existsSync(known) ? (JSON.parse(await readFile(known, 'utf8')) as KnownPackages) : undefined;
    if (last && last.lists === lists) return last.packages;
    const packages = await this.#askApt();
    await writeFile(`${known}.${process.pid}`, JSON.stringify({ lists, packages } satisfies KnownPackages));
    await rename(`${known}.${process.pid}`, known);
    return packages;
  }

  /** Fetches package lists of its own when the machine has none. */
  async #askApt(): Promise<DebianPackage[]> {
    await mkdir(join(this.#directory, 'none/partial'), { recursive: true });
    await writeFile(join(this.#directory, 'status'), '');
    try {
      return await this.#resolve();
    } catch (error) {
      if (this.#lists.length > 0) throw error;
      const lists = join(this.#directory, 'lists');
      await mkdir(join(lists, 'partial'), { recursive: true });
      this.#lists = ['--option', `Dir::State::lists=${lists}`];
      await this.#run('apt-get', ['--quiet', 'update']);
      return this.#resolve();
    }
  }

  /** Downloads the packages and unpacks them all below `target`. Packages that are there already stay. */
  async unpack(packages: readonly DebianPackage[], target: string): Promise<void> {
    const archives = join(this.#directory, 'archives');
    await mkdir(archives, { recursive: true });
    const names = packages.map(({ name, version }) => `${name}=${version}`);
    await this.#run('apt-get', ['--quiet', 'download', ...names], archives);
    // Some packages still have files in /bin and /lib: these lead into /usr here, as they do in Debian itself.
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
      await mkdir(join(target, 'usr', name), { recursive: true });
      await symlink(`usr/${name}`, join(target, name));
    }
    const unpack = 'dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --no-same-owner $3 -C "$2"';
    const exclude = unneeded.map((path) => `--exclude=*/${path}`).join(' ');
    for (const { fileName } of packages) {
      await runCommand('sh', ['-c', `set -f; ${unpack}`, 'sh', join(archives, fileName), target, exclude]);
    }
  }

  /** Removes what was downloaded. */
  async clean(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #resolve(): Promise<DebianPackage[]> {
    const install = ['--quiet=2', '--assume-yes', '--print-uris', '--no-install-recommends', 'install'];
    const programs = await this.#run('apt-get', [...install, ...wantedPackages]);
    const depends = await this.#run('apt-cache', ['depends', kernelPackage]);
    const kernel = kernelOf(depends);
    if (!kernel) throw new Error(`the package ${kernelPackage} depends on no kernel:\n${depends}`);
    const lone = await this.#run('apt-get', ['--quiet=2', '--print-uris', 'download', kernel, ...lonePackages]);
    return parsePackageAddresses(programs + lone);
  }

  /** Empty status and archives make apt believe that nothing is installed or fetched, so that it lists everything. */
  #run(program: string, args: readonly string[], cwd?: string): Promise<string> {
    const options = [
      `Dir::State::status=${join(this.#directory, 'status')}`,
      `Dir::Cache=${this.#directory}`,
      'Dir::Cache::archives=none',
      'APT::Sandbox::User=',
      'Debug::NoLocking=true',
      'Acquire::Retries=3',
    ];
    return runCommand(program, [...options.flatMap((option) => ['--option', option]), ...this.#lists, ...args], {
      cwd,
    });
  }
}

interface KnownPackages {
  readonly lists: string;
  readonly packages: DebianPackage[];
}

/** Changes when the machine's package lists or what is asked for does. */
async function stateOfLists(): Promise<string> {
  const directory = '/var/lib/apt/lists';
  const names = existsSync(directory) ? (await readdir(directory)).filter((name) => name.includes('_Packages')) : [];
  const times = await Promise.all(names.sort().map(async (name) => (await stat(join(directory, name))).mtimeMs));
  return JSON.stringify([kernelPackage, wantedPackages, lonePackages, names, times]);
}

/** The kernel that the meta package stands for, from what `apt-cache depends` prints. */
export function kernelOf(dependencies: string): string | undefined {
  return /^\s*Depends: (linux-image-\d\S*)$/m.exec(dependencies)?.[1];
}

/** Reads what `apt-get --print-uris` prints: `'address' file size hash`, with the version's colon escaped in the file name. */
export function parsePackageAddresses(text: string): DebianPackage[] {
  const packages = [...text.matchAll(/^'[^']+' (\S+\.deb) /gm)].map(([, fileName = '']) => {
    const [name = '', version = ''] = fileName.split('_');
    return { name, version: decodeURIComponent(version), fileName };
  });
  return packages.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
}
