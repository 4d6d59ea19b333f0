import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianSources } from './debianArchive.mjs';
import { Failure } from './failure.mjs';
import { readOsRelease } from './osRelease.mjs';
import { privateApt } from './privateApt.mjs';
import { capture } from './spawn.mjs';

/** The last Debian whose sources of Kubernetes have more than kubectl. */
const release = 'bookworm';
const SOURCE = 'kubernetes';
const REFLECT = 'github.com/modern-go/reflect2';
const PACKAGES = ['golang-1.19-go', 'golang-1.19-src', 'etcd-server', 'golang-github-modern-go-reflect2-dev'];

/** What those sources are. */
export const VERSION = '1.20.2';

/**
 * Fetches the sources of Kubernetes, the compiler and etcd into `directory`, unless they are there.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {string} directory
 * @returns {Promise<string>} the GOPATH that has the sources; the packages are unpacked to `directory/root`
 */
export async function kubernetesSources(steps, directory) {
  const root = join(directory, 'root');
  const gopath = join(directory, 'go');
  if (existsSync(root) && existsSync(gopath)) return gopath;
  const { ID, PRETTY_NAME = 'no Debian' } = readOsRelease();
  if (ID !== 'debian') {
    throw new Failure(`the control plane is built from Debian's sources, and this is ${PRETTY_NAME}`, {
      hint: 'Set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver, kube-controller-manager and kube-scheduler of 1.30 or newer, or run it on Debian 12 or newer.',
    });
  }
  await steps.step(`Downloading Go, etcd and the sources of Kubernetes ${VERSION} from Debian ${release}`, () =>
    fetchFirst(directory, root, gopath),
  );
  return gopath;
}

async function fetchFirst(directory, root, gopath) {
  const problems = [];
  for (const source of await debianSources(release)) {
    try {
      await fetchFrom(source, directory, root, gopath);
      return;
    } catch (error) {
      problems.push(`${source}\n${error.message}`);
    }
  }
  throw new Failure(`Kubernetes could not be fetched from Debian ${release}:\n${problems.join('\n')}`, {
    hint: `The host's Debian mirror must have the suite ${release} and its sources.`,
  });
}

async function fetchFrom(source, directory, root, gopath) {
  const scratch = join(directory, 'fetch');
  rmSync(scratch, { recursive: true, force: true });
  try {
    const packages = join(scratch, 'root');
    const sources = join(scratch, 'go');
    const project = join(sources, 'src/k8s.io/kubernetes');
    for (const each of [packages, project]) mkdirSync(each, { recursive: true });
    await privateApt(join(scratch, 'apt'), source).unpack(PACKAGES, packages);
    const fetched = await privateApt(join(scratch, 'apt-src'), source.replace(/^deb /, 'deb-src ')).source(SOURCE);
    const archive = fetched.find((file) => /\.orig\.tar\.\w+$/.test(file));
    if (!archive) throw new Error(`the source package ${SOURCE} has no archive`);
    const { code, output } = await capture('tar', ['-xf', archive, '--strip-components=1', '-C', project]);
    if (code !== 0) throw new Error(`tar: ${output.trim()}`);
    adaptToCompiler(packages, project);
    for (const [from, to] of [
      [packages, root],
      [sources, gopath],
    ]) {
      rmSync(to, { recursive: true, force: true });
      renameSync(from, to);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** How Go before 1.16 told that a value was missing; since then empty strings look the same. */
const MISSING_VALUE = 'data == nil || reflect.DeepEqual(reflect.Zero(reflect.TypeOf(data)), reflect.ValueOf(data))';

/** Two libraries that come along rely on an older Go: the server would crash at the first CRD, and refuse empty strings. */
function adaptToCompiler(/** @type {string} */ packages, /** @type {string} */ project) {
  const vendored = join(project, 'vendor', REFLECT);
  rmSync(vendored, { recursive: true });
  cpSync(join(packages, 'usr/share/gocode/src', REFLECT), vendored, { recursive: true });
  for (const name of readdirSync(vendored)) if (name.endsWith('_test.go')) rmSync(join(vendored, name));
  const validator = join(project, 'vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go');
  const source = readFileSync(validator, 'utf8');
  if (!source.includes(MISSING_VALUE)) throw new Error(`${validator} is not as it was`);
  writeFileSync(validator, source.replace(MISSING_VALUE, 'data == nil'));
}
