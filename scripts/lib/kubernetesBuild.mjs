import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.mjs';
import { kubernetesSources, VERSION } from './kubernetesSources.mjs';
import { withLock } from './lock.mjs';
import { cacheDirectory } from './paths.mjs';
import { capture } from './spawn.mjs';

const directory = join(cacheDirectory, 'cluster');
const PROJECT = 'k8s.io/kubernetes';

/**
 * A control plane from Debian's sources, built unless it is in the cache.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {readonly string[]} programs
 */
export async function builtKubernetes(steps, programs) {
  const bin = join(directory, 'bin');
  const root = join(directory, 'root');
  const isMissing = (/** @type {string} */ program) => !existsSync(join(bin, program));
  if (programs.some(isMissing) || !existsSync(join(root, 'usr/bin/etcd'))) {
    await withLock(
      join(cacheDirectory, 'cluster.lock'),
      (owner) => steps.say(`Waiting for process ${owner}, which is building Kubernetes …`),
      async () => {
        const gopath = await kubernetesSources(steps, directory);
        const tools = toolchain(root, gopath);
        if (programs.some(isMissing)) await generateOpenApi(steps, tools);
        for (const program of programs.filter(isMissing)) {
          await steps.step(`Building ${program} ${VERSION}, which takes some minutes`, () =>
            build(tools, `./cmd/${program}`, join(bin, program)),
          );
        }
      },
    );
  }
  return { directory: bin, etcd: join(root, 'usr/bin/etcd'), version: VERSION, origin: "built from Debian's sources" };
}

/** In GOPATH mode, because the sources bring what they import; without C, so that the host needs no compiler. */
function toolchain(/** @type {string} */ root, /** @type {string} */ gopath) {
  const name = readdirSync(join(root, 'usr/lib')).find((each) => /^go-\d/.test(each));
  if (!name) throw new Failure(`no Go was found in ${root}`, { hint: `Delete ${directory} and run it again.` });
  const goroot = join(root, 'usr/lib', name);
  return {
    go: join(goroot, 'bin/go'),
    sources: join(gopath, 'src', PROJECT),
    env: {
      PATH: `${join(goroot, 'bin')}:${process.env.PATH}`,
      HOME: directory,
      GOROOT: goroot,
      GOPATH: gopath,
      GOCACHE: join(directory, 'gocache'),
      GO111MODULE: 'off',
      CGO_ENABLED: '0',
    },
  };
}

/** The one part of the sources that is not kept with them. */
async function generateOpenApi(steps, tools) {
  const output = join(tools.sources, 'pkg/generated/openapi/zz_generated.openapi.go');
  if (existsSync(output)) return;
  await steps.step('Generating the OpenAPI definitions', async () => {
    const generator = join(directory, 'openapi-gen');
    await build(tools, './vendor/k8s.io/kube-openapi/cmd/openapi-gen', generator);
    await run(tools, generator, [
      ...['--logtostderr', '-O', 'zz_generated.openapi', '-r', join(directory, 'openapi-violations')],
      ...['-i', openApiPackages(tools.sources).join(',')],
      ...['-p', `${PROJECT}/pkg/generated/openapi`],
      ...['-h', 'vendor/k8s.io/code-generator/hack/boilerplate.go.txt'],
    ]);
  });
}

/** The packages that ask for definitions of their types. */
function openApiPackages(/** @type {string} */ sources) {
  const found = new Set();
  for (const top of ['pkg', 'staging/src/k8s.io']) {
    for (const file of readdirSync(join(sources, top), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.go') || /_test\.go$|^code-generator\/|^sample-apiserver\//.test(file)) continue;
      const text = readFileSync(join(sources, top, file), 'utf8');
      if (/^\/\/ \+k8s:openapi-gen=/m.test(text)) {
        found.add(dirname(join(PROJECT, top, file)).replace('/staging/src/', '/vendor/'));
      }
    }
  }
  return [...found].sort();
}

async function build(tools, from, program) {
  const versions = ['client-go/pkg/version', 'component-base/version'].flatMap((name) => {
    const variable = (/** @type {string} */ key) => `-X ${PROJECT}/vendor/k8s.io/${name}.${key}`;
    const [major, minor] = VERSION.split('.');
    return [
      `${variable('gitVersion')}=v${VERSION}`,
      `${variable('gitMajor')}=${major}`,
      `${variable('gitMinor')}=${minor}`,
    ];
  });
  mkdirSync(dirname(program), { recursive: true });
  const flags = ['-trimpath', `-ldflags=-s -w ${versions.join(' ')}`, '-o', `${program}.new`];
  await run(tools, tools.go, ['build', ...flags, from]);
  renameSync(`${program}.new`, program);
}

async function run({ env, sources }, program, args) {
  const { code, output } = await capture('nice', ['-n', '10', program, ...args], { cwd: sources, env });
  if (code === 0) return;
  throw new Failure(`Kubernetes could not be built\n\n${output.trim().split('\n').slice(-15).join('\n')}\n`, {
    hint: `Delete ${directory} to begin anew, or set KUBEBUILDER_ASSETS to a directory with the programs of 1.30 or newer.`,
  });
}
