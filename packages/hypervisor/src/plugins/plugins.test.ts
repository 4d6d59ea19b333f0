import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { applyVmiDefaults } from '../defaults/index.ts';
import { hypervisorNames, registries } from '../registries.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { loadPlugins } from './load.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-plugins-'));
});
afterEach(() => rm(home, { recursive: true }));

const list = (...plugins: unknown[]) => writeFile(join(home, 'hypervisors.json'), JSON.stringify({ plugins }));

/** Installs a package with this code, as npm would. */
async function install(name: string, code: string): Promise<void> {
  const directory = join(home, 'node_modules', name);
  await mkdir(directory, { recursive: true });
  const description = { name, version: '1.2.3', type: 'module', exports: { '.': { import: './index.js' } } };
  await writeFile(join(directory, 'package.json'), JSON.stringify(description));
  await writeFile(join(directory, 'index.js'), code);
}

const registering = (body: string): string => `export default { apiVersion: 1, register(api) { ${body} } };`;

/** A runtime that is whole but for what a test is about. */
const runtime = (special: Record<string, string>): string => {
  const parts = { deviceRequests: '[]', memoryOverheadBytes: '() => 0n', memlockBytes: '() => undefined', ...special };
  return `runtime: { ${Object.entries(parts)
    .map(([name, code]) => `${name}: ${code}`)
    .join(', ')} }`;
};

const known = hypervisorNames();

describe('a home’s list of plug-ins', () => {
  it('may be missing', async () => {
    expect(await loadPlugins(home)).toEqual([]);
  });

  it.each([
    ['{', /hypervisors\.json is not valid JSON: /],
    ['[]', /hypervisors\.json must look like \{"plugins": /],
    ['{"plugins": [1]}', /must look like/],
  ])('is checked: %s', async (text, reason) => {
    await writeFile(join(home, 'hypervisors.json'), text);
    expect(await loadPlugins(home)).toMatchObject([
      { plugin: 'hypervisors.json', problem: expect.stringMatching(reason) },
    ]);
  });

  it('must be closed to others', async () => {
    await list();
    await chmod(join(home, 'hypervisors.json'), 0o664);
    expect(await loadPlugins(home)).toMatchObject([
      { problem: expect.stringMatching(/is writable by others \(mode 664\); run: chmod go-w /) },
    ]);
  });
});

describe('a plug-in', () => {
  it('brings a hypervisor, and is reported with its version', async () => {
    await install('first', registering(`api.registerHypervisor({ name: 'first-one', aliases: ['one'] })`));
    await list('first');
    expect(await loadPlugins(home)).toEqual([{ plugin: 'first', version: '1.2.3', hypervisors: ['first-one'] }]);
    expect(hypervisorNames()).toEqual([...known, 'first-one', 'one']);
    known.push('first-one', 'one');
  });

  it.each<[title: string, code: string, reason: RegExp]>([
    [
      'a name that is taken',
      registering(`api.registerHypervisor({ name: 'kvm' })`),
      /^hypervisor "kvm" is already registered$/,
    ],
    [
      'an alias that is taken',
      registering(`api.registerHypervisor({ name: 'x', aliases: ['mshv'] })`),
      /"mshv" is already registered/,
    ],
    [
      'another version',
      `export default { apiVersion: 2, register() {} };`,
      /for version 2 of the plug-in API; this Vireo has version 1$/,
    ],
    ['no plug-in', 'export const x = 1;', /its default export must be/],
    ['a syntax error', 'export default {', /Unexpected end of input/],
    ['an error', registering(`throw new Error('not today')`), /^not today$/],
    ['nothing', registering(''), /^does not register a hypervisor$/],
    [
      'a wrong type',
      registering(`api.registerHypervisor({ name: 'x', converter: { domainType: 1, isAccelerated: true } })`),
      /^hypervisor\.converter\.domainType must be libvirt's name for it, in lowercase letters, not number$/,
    ],
    [
      'a misspelt part',
      registering(`api.registerHypervisor({ name: 'x', admission: { mutate() {} } })`),
      /^hypervisor\.admission\.mutate is not part of the contract \(mutateVmi, validate\)$/,
    ],
    [
      'a missing part',
      registering(`api.registerHypervisor({ name: 'x', runtime: { deviceRequests: [] } })`),
      /^hypervisor\.runtime\.memoryOverheadBytes must be a function, not undefined$/,
    ],
    [
      'a contract that throws',
      registering(`api.registerHypervisor({ name: 'x', admission: { validate() { throw new Error('boom') } } })`),
      /^hypervisor plug-in bad: admission\.validate: boom$/,
    ],
    [
      'a key that is taken',
      registering(`api.registerHypervisor({ name: 'x', defaults: { '*': {} } }); api.register.defaults('x', {})`),
      /already has a defaults provider$/,
    ],
    [
      'a key of somebody else',
      registering(`api.registerHypervisor({ name: 'x' }); api.register.admission('kvm', {})`),
      /^registers "kvm": a package may register for its own hypervisors only \(x\)$/,
    ],
    [
      'a key for everybody',
      registering(`api.registerHypervisor({ name: 'x' }); api.register.admission('amd64', {})`),
      /^registers "amd64": a package may register for its own hypervisors only/,
    ],
    [
      'the name of an architecture',
      registering(`api.registerHypervisor({ name: 'amd64', admission: { validate: () => [] } })`),
      /^"amd64" is an architecture, not a hypervisor name$/,
    ],
    [
      'the name of an architecture as an alias',
      registering(`api.registerHypervisor({ name: 'x', aliases: ['s390x'] })`),
      /^"s390x" is an architecture/,
    ],
    [
      'an emulator that nobody has',
      registering(`api.registerHypervisor({ name: 'x', emulator: 'bochs' })`),
      /^hypervisor\.emulator: unknown hypervisor "bochs"/,
    ],
    [
      'a device with a name that no resource can have',
      registering(
        `api.registerHypervisor({ name: 'x', ${runtime({ deviceRequests: `[{ device: 'bad name!', path: '/dev/x' }]` })} })`,
      ),
      /^hypervisor\.runtime\.deviceRequests\[0\]\.device must be a name of lowercase letters, digits and dashes, not "bad name!"$/,
    ],
    [
      'a device outside /dev',
      registering(
        `api.registerHypervisor({ name: 'x', ${runtime({ deviceRequests: `[{ device: 'x', path: '/dev/../etc' }]` })} })`,
      ),
      /path must be a path below \/dev/,
    ],
    [
      'a toleration of everything',
      registering(`api.registerHypervisor({ name: 'x', ${runtime({ tolerations: `[{ operator: 'Exists' }]` })} })`),
      /^hypervisor\.runtime\.tolerations\[0\]\.key must be the key of a taint/,
    ],
    [
      'a negative overhead',
      registering(`api.registerHypervisor({ name: 'x', ${runtime({ memoryOverheadBytes: '() => -1n' })} })`),
      /runtime\.memoryOverheadBytes returned -1: it must not be negative$/,
    ],
    [
      'a resource that is no amount',
      registering(
        `api.registerHypervisor({ name: 'x', ${runtime({ adjustResources: `({ limits }) => ({ limits, requests: { cpu: '-1' } })` })} })`,
      ),
      /runtime\.adjustResources cpu: "-1" is not a quantity/,
    ],
    [
      'a rule that changes what it is given',
      registering(
        `api.registerHypervisor({ name: 'x', admission: { validate(spec) { spec.domain.devices = {}; return []; } } })`,
      ),
      /admission\.validate: Cannot assign to read only property 'devices'/,
    ],
    [
      'a VMI that is moved to another namespace',
      registering(
        `api.registerHypervisor({ name: 'x', admission: { mutateVmi: (vmi) => ({ ...vmi, metadata: { ...vmi.metadata, namespace: 'kube-system' } }) } })`,
      ),
      /admission\.mutateVmi changes metadata\.namespace: only labels and annotations of metadata may be changed$/,
    ],
    [
      'a VMI with a label of the system',
      registering(
        `api.registerHypervisor({ name: 'x', admission: { mutateVmi: (vmi) => ({ ...vmi, metadata: { ...vmi.metadata, labels: { 'kubevirt.io/nodeName': 'a' } } }) } })`,
      ),
      /metadata\.labels: "kubevirt\.io\/nodeName" is not allowed for plug-ins: kubevirt\.io is reserved$/,
    ],
    [
      'a VMI that says that it runs',
      registering(
        `api.registerHypervisor({ name: 'x', defaults: { '*': { finalizeVmi: (vmi) => ({ ...vmi, status: { ...vmi.status, phase: 'Running' } }) } } })`,
      ),
      /finalizeVmi changes status\.phase/,
    ],
    [
      'a label of Kubernetes on nodes',
      registering(
        `api.registerHypervisor({ name: 'x', labeller: { preferredVirtType: 'x', devices: [], discoverFeatures: () => ({ 'kubernetes.io/arch': 'riscv64' }) } })`,
      ),
      /labeller\.discoverFeatures "kubernetes\.io\/arch" is not allowed for plug-ins/,
    ],
    [
      'a domain of another name',
      registering(
        `api.registerHypervisor({ name: 'x', converter: { domainType: 'qemu', isAccelerated: false, mutators: [(domain) => ({ ...domain, children: [] })] } })`,
      ),
      /converter\.mutators\.0 changes the <name> of the domain$/,
    ],
    [
      'markup in the name of an element',
      registering(
        `api.registerHypervisor({ name: 'x', converter: { domainType: 'qemu', isAccelerated: false, overrides: { rng: () => [api.el('a><b')] } } })`,
      ),
      /converter\.overrides\.rng "a><b" is not a valid element/,
    ],
    [
      'an answer that comes later',
      registering(`api.registerHypervisor({ name: 'x', admission: { async validate() { return []; } } })`),
      /admission\.validate: returned a promise; it must return synchronously$/,
    ],
    ['the end of its process', registering(`process.exit(3)`), /^it exited$/],
    [
      'an error that nobody catches',
      `setTimeout(() => { throw new Error('late') }); await new Promise(() => {});`,
      /^late$/,
    ],
  ])('is refused with the reason, and leaves nothing behind: %s', async (_title, code, reason) => {
    const keys = () => Object.values(registries).map((registry) => registry.keys());
    const before = keys();
    await install('bad', code);
    await list('bad');
    const [report] = await loadPlugins(home);
    expect(report?.problem).toMatch(reason);
    expect(report?.hypervisors).toEqual([]);
    expect(keys()).toEqual(before);
    expect(hypervisorNames()).toEqual(known);
  });

  it.each([
    ['missing', /node_modules\/missing\/package\.json does not exist; install the package: npm install --prefix /],
    ['../escape', /is neither a package name nor an absolute path/],
  ])('that is not there is named: %s', async (name, reason) => {
    await list(name);
    expect((await loadPlugins(home))[0]?.problem).toMatch(reason);
  });

  it('that others may write is not run', async () => {
    await install('open', registering(`api.registerHypervisor({ name: 'open' })`));
    await chmod(join(home, 'node_modules/open/index.js'), 0o666);
    await list('open');
    expect((await loadPlugins(home))[0]?.problem).toMatch(/index\.js is writable by others/);
  });

  it.each([
    ['a file that it imports', 'node_modules/open/more.js', /more\.js is writable by others \(mode 666\)/],
    ['its description', 'node_modules/open/package.json', /package\.json is writable by others/],
    ['its directory', 'node_modules/open', /node_modules\/open is writable by others/],
    ['a directory above it', 'node_modules', /node_modules is writable by others/],
  ])('of which others may write a part is not run: %s', async (_what, path, reason) => {
    await install('open', `import './more.js'; ${registering(`api.registerHypervisor({ name: 'open' })`)}`);
    await writeFile(join(home, 'node_modules/open/more.js'), '');
    await chmod(join(home, path), /\.js(on)?$/.test(path) ? 0o666 : 0o777);
    await list('open');
    expect((await loadPlugins(home))[0]?.problem).toMatch(reason);
  });

  it('of which a dependency is writable by others is not run', async () => {
    await install('loose', 'export const x = 1;');
    await chmod(join(home, 'node_modules/loose/index.js'), 0o666);
    await install('user', `import 'loose'; ${registering(`api.registerHypervisor({ name: 'user' })`)}`);
    await list('user');
    expect((await loadPlugins(home))[0]?.problem).toMatch(/loose\/index\.js is writable by others/);
  });

  it('that hangs is given up, and the next one is loaded', async () => {
    await install('slow', `export default { apiVersion: 1, register: () => new Promise(() => {}) };`);
    await install('loop', `for (;;) {}`);
    await install('looping', registering(`for (;;) {}`));
    await list('slow', 'loop', 'looping');
    expect((await loadPlugins(home, { timeoutMs: 300 })).map(({ problem }) => problem)).toEqual(
      Array.from({ length: 3 }, () => 'took more than 300 ms to load'),
    );
    await install(
      'stuck',
      registering(`api.registerHypervisor({ name: 'stuck', admission: { validate() { for (;;) {} } } })`),
    );
    await install('after', registering(`api.registerHypervisor({ name: 'after' })`));
    await list('stuck', 'after');
    expect(await loadPlugins(home, { hookTimeoutMs: 300 })).toMatchObject([
      { problem: 'hypervisor plug-in stuck: admission.validate: did not respond within 300 ms' },
      { hypervisors: ['after'] },
    ]);
  });
});

describe('a plug-in that is well when it is tried out, and not later', () => {
  const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };
  const named = (name: string) => ({ ...vmiWith(), metadata: { ...vmiWith().metadata, name } });
  const config = { ...clusterConfig(undefined), hypervisor: 'sly' };
  const finish = (name: string) => applyVmiDefaults(named(name), config, sources);

  it('is distinguished from a fault of the VMI, ends for itself, and is asked again after a while', async () => {
    const mutateVmi = `mutateVmi(vmi) {
      if (vmi.metadata.name === 'moved') return { ...vmi, metadata: { ...vmi.metadata, uid: 'mine' } };
      if (vmi.metadata.name === 'late') Promise.reject(new Error('nobody waits for this'));
      if (vmi.metadata.name === 'gone') process.exit(1);
      return { ...vmi, spec: { ...vmi.spec, hostname: 'sly' } };
    }`;
    await install('sly', registering(`api.registerHypervisor({ name: 'sly', admission: { ${mutateVmi} } })`));
    await list('sly');
    expect(await loadPlugins(home, { hookTimeoutMs: 3_000 })).toMatchObject([{ hypervisors: ['sly'] }]);
    expect(finish('good').spec.hostname).toBe('sly');
    expect(() => finish('moved')).toThrow('hypervisor plug-in sly: admission.mutateVmi changes metadata.uid');
    expect(finish('late').spec.hostname).toBe('sly');
    await expect.poll(() => problemOf(() => finish('good'))).toMatch(/cannot be called: nobody waits for this$/);
    vi.setSystemTime(Date.now() + 60_000);
    expect(finish('good').spec.hostname).toBe('sly');
    expect(() => finish('gone')).toThrow('admission.mutateVmi: cannot be called: it exited');
    vi.useRealTimers();
  });

  it('is asked less and less often while it hangs, and as before when it is well', async () => {
    const mutateVmi = `mutateVmi(vmi) { if (vmi.metadata.name === 'hung') for (;;) {} return vmi; }`;
    await install('stiff', registering(`api.registerHypervisor({ name: 'stiff', admission: { ${mutateVmi} } })`));
    await list('stiff');
    expect(await loadPlugins(home)).toMatchObject([{ hypervisors: ['stiff'] }]);
    const ask = (name: string) =>
      problemOf(() => applyVmiDefaults(named(name), { ...config, hypervisor: 'stiff' }, sources));
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
    const given = 'hypervisor plug-in stiff: admission.mutateVmi: did not respond within 1000 ms';
    const left = /cannot be called: admission\.mutateVmi did not respond within 1000 ms$/;
    try {
      expect(ask('hung')).toBe(given);
      expect(ask('good')).toMatch(left);
      pass(5_000);
      expect(ask('hung')).toBe(given);
      pass(6_000);
      expect(ask('good')).toMatch(left);
      pass(4_000);
      expect(ask('good')).toBe('');
      expect(ask('hung')).toBe(given);
      pass(5_000);
      expect(ask('good')).toBe('');
    } finally {
      vi.useRealTimers();
    }
  });
});

function problemOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
