import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
  };

  return {
    /** Fetches the package lists of the source. */
    update: () => apt('update', '--error-on=any'),

    /** Downloads one package and unpacks it below `target`. */
    async unpack(/** @type {string} */ name, /** @type {string} */ target) {
      const packages = join(directory, 'packages');
      rmSync(packages, { recursive: true, force: true });
      mkdirSync(packages, { recursive: true });
      await apt('download', name);
      const unpacked = await capture('sh', ['-c', 'exec dpkg-deb --extract "$1"/*.deb "$2"', 'sh', packages, target]);
      if (unpacked.code !== 0) throw new Error(`dpkg-deb: ${unpacked.output.trim()}`);
    },
  };
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
