import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { oraclePackages } from './oraclePackages.mjs';
import { cacheDirectory, root as project } from './paths.mjs';
import { capture } from './spawn.mjs';

const directory = join(cacheDirectory, 'oracle');
const program = join(directory, 'apiextensions-apiserver');
const stampFile = join(directory, 'built.json');

/** Counts what is changed in the original (`writeOverlay`), so that a change is built. */
const CHANGES = 1;

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
      const wanted = `${version} ${fingerprint(main)} ${CHANGES}`;
      if (!existsSync(program) || readStamp() !== wanted) {
        await steps.step(`Building apiextensions-apiserver ${version}, which takes some minutes`, () => build(root));
        writeFileSync(stampFile, `${JSON.stringify(wanted)}\n`);
      }
      return { server: program, etcd: join(root, 'usr/bin/etcd'), version };
    },
  );
}

/** In GOPATH mode, for which Debian's packages are laid out; without C, so that the host needs no compiler of its own. */
async function build(/** @type {string} */ root) {
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

/**
 * The one thing that is changed in the original: it waits two seconds before it creates the first object of a kind that
 * is newer than that, for the sake of other servers, which there are none of. Every case has a new kind.
 */
function writeOverlay(/** @type {string} */ gopath) {
  const original = join(gopath, 'src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go');
  const changed = join(directory, 'customresource_handler.go');
  writeFileSync(changed, readFileSync(original, 'utf8').replace('time.Sleep(2 * time.Second)', 'time.Sleep(0)'));
  const overlay = join(directory, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ Replace: { [original]: changed } }));
  return overlay;
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
}

function fingerprint(/** @type {string} */ sources) {
  const hash = createHash('sha256');
  for (const name of readdirSync(sources).sort()) hash.update(readFileSync(join(sources, name)));
  return hash.digest('hex').slice(0, 16);
}
