import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { oraclePackages } from './oraclePackages.mjs';
import { cacheDirectory, root as project } from './paths.mjs';
import { capture } from './spawn.mjs';

const directory = join(cacheDirectory, 'oracle');

/**
 * What is changed in the original: it waits two seconds before it creates the first object of a kind that is newer than
 * that, for the sake of other servers, which there are none of. Every case has a new kind. And Debian lets it patch with
 * another major version of its library, which refuses and writes other things; the right one is there as well.
 */
const CHANGES = [
  {
    file: 'k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go',
    from: 'time.Sleep(2 * time.Second)',
    to: 'time.Sleep(0)',
  },
  {
    file: 'k8s.io/apiserver/pkg/endpoints/handlers/patch.go',
    from: '"github.com/evanphx/json-patch/v5"',
    to: '"github.com/evanphx/json-patch"',
  },
];

/** Our own part of the program: what it switches on and off. */
const main = join(project, 'oracle/server');

/**
 * The real apiextensions-apiserver and the etcd it stores in, built from Debian's packages unless they are in the cache.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @returns {Promise<{ server: string, etcd: string, version: string }>}
 */
export async function oracleServer(steps) {
  return withLock(
    join(cacheDirectory, 'oracle.lock'),
    (owner) => steps.say(`Waiting for process ${owner}, which is building the real server …`),
    async () => {
      const { root, version } = await oraclePackages(steps, directory);
      const program = join(directory, `apiextensions-apiserver-${fingerprint(main, version)}`);
      if (!existsSync(program)) {
        await steps.step(`Building apiextensions-apiserver ${version}, which takes some minutes`, () =>
          build(root, program),
        );
      }
      return { server: program, etcd: join(root, 'usr/bin/etcd'), version };
    },
  );
}

/** In GOPATH mode, for which Debian's packages are laid out; without C, so that the host needs no compiler of its own. */
async function build(/** @type {string} */ root, /** @type {string} */ program) {
  const toolchain = readdirSync(join(root, 'usr/lib')).find((name) => /^go-\d/.test(name));
  if (!toolchain) throw new Failure(`no Go was found in ${root}`, { hint: `Delete ${directory} and run it again.` });
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    GOROOT: join(root, 'usr/lib', toolchain),
    GOPATH: join(root, 'usr/share/gocode'),
    GOCACHE: join(directory, 'gocache'),
    GO111MODULE: 'off',
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '0',
  };
  const go = join(env.GOROOT, 'bin/go');
  const overlay = writeOverlay(env.GOPATH);
  const args = [
    '-n',
    '19',
    go,
    'build',
    '-trimpath',
    '-overlay',
    overlay,
    '-ldflags=-s -w',
    '-o',
    `${program}.new`,
    '.',
  ];
  const { code, output } = await capture('nice', args, { cwd: main, env });
  if (code !== 0) {
    throw new Failure(`the real server could not be built\n\n${output.trim().split('\n').slice(-15).join('\n')}\n`, {
      hint: `If Debian's packages do not fit each other today, try again later: delete ${directory} to fetch new ones.`,
    });
  }
  renameSync(`${program}.new`, program);
}

/** Copies of the changed files, which the compiler reads instead. */
function writeOverlay(/** @type {string} */ gopath) {
  const replaced = CHANGES.map(({ file, from, to }) => {
    const original = join(gopath, 'src', file);
    const source = readFileSync(original, 'utf8');
    if (!source.includes(from)) throw new Failure(`${file} does not contain ${from}`);
    const changed = join(directory, basename(file));
    writeFileSync(changed, source.replace(from, to));
    return [original, changed];
  });
  const overlay = join(directory, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ Replace: Object.fromEntries(replaced) }));
  return overlay;
}

/** What the program is built from, so that a change of it is built. */
function fingerprint(/** @type {string} */ sources, /** @type {string} */ version) {
  const hash = createHash('sha256').update(JSON.stringify([version, CHANGES]));
  for (const name of readdirSync(sources).sort()) hash.update(readFileSync(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}
