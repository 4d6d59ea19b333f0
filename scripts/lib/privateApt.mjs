import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './spawn.mjs';

/**
 * An apt with lists, cache and sources of its own below `directory`: packages of another release can be fetched and
 * unpacked without any change to the system and without being root. The machine's proxy and credential settings apply.
 *
 * @param {string} directory
 * @param {string} source one line in sources.list's format
 */
export function privateApt(directory, source) {
  const configuration = join(directory, 'apt.conf');
  for (const name of ['lists/partial', 'archives/partial', 'packages']) {
    mkdirSync(join(directory, name), { recursive: true });
  }
  writeFileSync(join(directory, 'sources.list'), `${source}\n`);
  writeFileSync(join(directory, 'status'), '');
  writeFileSync(configuration, aptConfiguration(directory));

  const apt = async (/** @type {string[]} */ ...args) => {
    const result = await capture('apt-get', ['--config-file', configuration, '--quiet', '--assume-yes', ...args], {
      cwd: join(directory, 'packages'),
      env: { ...process.env, LC_ALL: 'C' },
    });
    if (result.code !== 0) throw new Error(`apt-get ${args.join(' ')}: ${result.output.trim()}`);
    return result.stdout;
  };
  const update = () => apt('update', '--error-on=any');

  return {
    /**
     * Fetches the package lists of the source and says what these packages need, themselves included.
     *
     * @param {readonly string[]} names
     */
    async closure(names) {
      await update();
      return plannedPackages(await apt('install', '--no-install-recommends', '--print-uris', ...names));
    },

    /**
     * Downloads packages that `closure` named, each as a file in `target`.
     *
     * @param {readonly { name: string, file: string }[]} packages
     * @param {string} target
     */
    async download(packages, target) {
      await apt('download', ...packages.map(({ name }) => name));
      for (const { file } of packages) renameSync(join(directory, 'packages', file), join(target, file));
    },

    /**
     * Fetches the package lists of the source, downloads the packages and unpacks them below `target`.
     *
     * @param {readonly string[]} names
     * @param {string} target
     */
    async unpack(names, target) {
      await update();
      await apt('download', ...names);
      await extract(join(directory, 'packages'), target);
    },

    /**
     * Downloads the files of a source package. The source of this apt must be a line with `deb-src`.
     *
     * @param {string} name
     * @returns {Promise<string[]>} their paths
     */
    async source(name) {
      await update();
      await apt('source', '--download-only', name);
      const packages = join(directory, 'packages');
      return readdirSync(packages).map((file) => join(packages, file));
    },
  };
}

/**
 * @param {string} plan what `apt-get install --print-uris` printed
 */
export function plannedPackages(plan) {
  const lines = plan.matchAll(/^'[^']+' (([^_ ]+)_[^ ]+\.deb) (\d+) /gm);
  return [...lines].map(([, file, name, size]) => ({ name, file, bytes: Number(size) }));
}

/**
 * The same with the lists that the machine has, which are of its own release.
 *
 * @param {string} directory
 */
export function systemApt(directory) {
  const packages = join(directory, 'packages');
  return {
    /**
     * @param {readonly string[]} names
     * @param {string} target
     */
    async unpack(names, target) {
      mkdirSync(packages, { recursive: true });
      const args = ['--quiet', '--option', 'APT::Sandbox::User=', 'download', ...names];
      const result = await capture('apt-get', args, { cwd: packages, env: { ...process.env, LC_ALL: 'C' } });
      if (result.code !== 0) throw new Error(`apt-get download ${names.join(' ')}: ${result.output.trim()}`);
      await extract(packages, target);
    },
  };
}

async function extract(packages, target) {
  const script = 'for package in "$1"/*.deb; do dpkg-deb --extract "$package" "$2" || exit 1; done';
  const unpacked = await capture('sh', ['-c', script, 'sh', packages, target]);
  if (unpacked.code !== 0) throw new Error(`dpkg-deb: ${unpacked.output.trim()}`);
}

/**
 * Read after the machine's own configuration. Its hooks are cleared because they act on the system's directories;
 * downloads stay with this user because the one apt would change to cannot enter a private directory.
 */
function aptConfiguration(directory) {
  return `
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
Dir::Etc::sourcelist "${directory}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::State::lists "${directory}/lists/";
Dir::State::status "${directory}/status";
Dir::State::extended_states "${directory}/extended_states";
Dir::Cache "${directory}";
Dir::Cache::archives "${directory}/archives/";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Log "${directory}";
APT::Sandbox::User "";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
`;
}
