import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from './lib/paths.mjs';

const run = promisify(execFile);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let directory;
let vireo;
let env;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-pack-'));
  // As elsewhere: no Node but the one on the PATH, no settings of the tester.
  env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: directory,
    XDG_CACHE_HOME: join(directory, 'cache'),
  };
  await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: root });
  await run('tar', ['-xzf', join(directory, `vireo-${version}.tgz`), '-C', directory]);
  vireo = join(directory, 'package/bin/vireo');
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the package holds the product with its dependencies, and no sources, tests or links to the clone', () => {
  const files = globSync('**/*', { cwd: join(directory, 'package'), exclude: ['node_modules/*/**'] });
  for (const name of [
    'LICENSE',
    'README.md',
    'dist/cli/src/main.js',
    'dist/cli/src/main.js.map',
    'examples/first-vm.yaml',
  ])
    expect(files).toContain(name);
  for (const name of ['commander', 'jose', 're2js', 'ws', 'yaml']) expect(files).toContain(`node_modules/${name}`);
  expect(files.filter((file) => /\.tsx?$|\.test\.|(^|\/)(testing|goldens|e2e|bench|docs)(\/|$)/.test(file))).toEqual(
    [],
  );
  expect(existsSync(join(root, 'dist'))).toBe(false);
});

it('the packed vireo prints its version', async () => {
  const { stdout } = await run(vireo, ['version', '--client'], { env });
  expect(stdout).toBe(`Client Version: vireo ${version} (node ${process.versions.node})\n`);
});

it('the packed vireo serves the Kubernetes API in the background, and stops', async () => {
  const home = join(directory, 'home');
  const started = await run(vireo, ['up', '--api-only', '--detach', '--home', home, '--port', '0'], { env });
  try {
    expect(started.stdout).toContain(`export KUBECONFIG=${home}/kubeconfig`);
    expect((await run(vireo, ['status', '--home', home], { env })).stdout).toContain('ready       yes');
  } finally {
    const { stdout } = await run(vireo, ['down', '--home', home], { env });
    expect(stdout).toContain('Stopped the server');
  }
});
