import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from './command.ts';

/** A Debian package as the mirror offers it now. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
  readonly sizeBytes: number;
}

/** How much of the packages has been fetched. */
interface FetchedBytes {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** Points to the newest kernel; only that kernel's own package is fetched, for what else it wants is of no use here. */
const kernelPackage = 'linux-image-amd64';

/**
 * Fetched without what they depend on: copying files into the guest needs the server's side of ssh alone, boot loaders
 * with Microsoft's and Debian's signatures need nothing but firmware, certificates are files, and the DHCPv6 client, which
 * busybox lacks, wants an installer that adds a user.
 */
const lonePackages = ['dhcpcd-base', 'openssh-sftp-server', 'shim-signed', 'grub-efi-amd64-signed', 'ca-certificates'];

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
  'wget',
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
   * for as long as the host's package lists stay as they are.
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

  /** Fetches package lists of its own when the host has none. */
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

  get #archives(): string {
    return join(this.#directory, 'archives');
  }

  /** Downloads the packages. Those that are there already stay. */
  async fetch(packages: readonly DebianPackage[], onProgress: (fetched: FetchedBytes) => void): Promise<void> {
    await mkdir(this.#archives, { recursive: true });
    const totalBytes = packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    onProgress({ doneBytes: 0, totalBytes });
    const names = packages.map(({ name, version }) => `${name}=${version}`);
    const status = ['--option', 'APT::Status-Fd=1'];
    await this.#run('apt-get', [...status, '--quiet', 'download', ...names], this.#archives, (output) => {
      const share = downloadedShare(output);
      if (share !== undefined) onProgress({ doneBytes: Math.round(share * totalBytes), totalBytes });
    });
  }

  /** Unpacks the packages that were fetched below `target`. */
  async unpack(packages: readonly DebianPackage[], target: string): Promise<void> {
    // Some packages still have files in /bin and /lib: these lead into /usr here, as they do in Debian itself.
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
      await mkdir(join(target, 'usr', name), { recursive: true });
      await symlink(`usr/${name}`, join(target, name));
    }
    const unpack = 'dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --no-same-owner $3 -C "$2"';
    const exclude = unneeded.map((path) => `--exclude=*/${path}`).join(' ');
    for (const { fileName } of packages) {
      await runCommand('sh', ['-c', `set -f; ${unpack}`, 'sh', join(this.#archives, fileName), target, exclude]);
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
    if (!kernel) throw new Error(`the package ${kernelPackage} does not depend on a kernel:\n${depends}`);
    const lone = await this.#run('apt-get', ['--quiet=2', '--print-uris', 'download', kernel, ...lonePackages]);
    return parsePackageAddresses(programs + lone);
  }

  /** Empty status and archives make apt believe that nothing is installed or fetched, so that it lists everything. */
  #run(program: string, args: readonly string[], cwd?: string, onOutput?: (text: string) => void): Promise<string> {
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
      onOutput,
    });
  }
}

interface KnownPackages {
  readonly lists: string;
  readonly packages: DebianPackage[];
}

/** What an earlier version kept of apt's answer had no sizes. */
const ANSWER_VERSION = 2;

/** Changes when the host's package lists, what is asked for or what is kept of the answer does. */
async function stateOfLists(): Promise<string> {
  const directory = '/var/lib/apt/lists';
  const names = existsSync(directory) ? (await readdir(directory)).filter((name) => name.includes('_Packages')) : [];
  const times = await Promise.all(names.sort().map(async (name) => (await stat(join(directory, name))).mtimeMs));
  return JSON.stringify([ANSWER_VERSION, kernelPackage, wantedPackages, lonePackages, names, times]);
}

/** The kernel that the meta package stands for, from what `apt-cache depends` prints. */
export function kernelOf(dependencies: string): string | undefined {
  return /^\s*Depends: (linux-image-\d\S*)$/m.exec(dependencies)?.[1];
}

/** Reads what `apt-get --print-uris` prints: `'address' file size hash`, with the version's colon escaped in the file name. */
export function parsePackageAddresses(text: string): DebianPackage[] {
  const packages = [...text.matchAll(/^'[^']+' (\S+\.deb) (\d+)/gm)].map(([, fileName = '', size]) => {
    const [name = '', version = ''] = fileName.split('_');
    return { name, version: decodeURIComponent(version), fileName, sizeBytes: Number(size) };
  });
  return packages.sort((a, b) => (a.fileName < b.fileName ? -1 : 1));
}

/** The share of one that is downloaded, from what apt prints to its status descriptor: `dlstatus:1:20.5:Retrieving …`. */
export function downloadedShare(output: string): number | undefined {
  const percent = [...output.matchAll(/^dlstatus:\d+:([\d.]+):/gm)].at(-1)?.[1];
  return percent === undefined ? undefined : Math.min(1, Number(percent) / 100);
}
