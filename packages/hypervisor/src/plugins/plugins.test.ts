import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hypervisorNames, registries } from '../registries.ts';
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

const known = hypervisorNames();

describe('a home’s list of plug-ins', () => {
  it('may be missing', async () => {
    expect(await loadPlugins(home)).toEqual([]);
  });

  it.each([
    ['{', /hypervisors\.json is no JSON: /],
    ['[]', /hypervisors\.json must be like \{"plugins": /],
    ['{"plugins": [1]}', /must be like/],
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
      { problem: expect.stringMatching(/can be written by others \(mode 664\); take that away: chmod go-w /) },
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
      /^hypervisor "kvm" is registered already$/,
    ],
    [
      'an alias that is taken',
      registering(`api.registerHypervisor({ name: 'x', aliases: ['mshv'] })`),
      /"mshv" is registered/,
    ],
    [
      'another version',
      `export default { apiVersion: 2, register() {} };`,
      /for version 2 of the plug-in API; this is version 1$/,
    ],
    ['no plug-in', 'export const x = 1;', /its default export must be/],
    ['a syntax error', 'export default {', /Unexpected end of input/],
    ['an error', registering(`throw new Error('not today')`), /^not today$/],
    ['nothing', registering(''), /^registers no hypervisor$/],
    [
      'a wrong type',
      registering(`api.registerHypervisor({ name: 'x', converter: { domainType: 1, isAccelerated: true } })`),
      /^hypervisor\.converter\.domainType must be a string, not number$/,
    ],
    [
      'a misspelt part',
      registering(`api.registerHypervisor({ name: 'x', admission: { mutate() {} } })`),
      /^hypervisor\.admission\.mutate is no part of the contract \(mutateVmi, validate\)$/,
    ],
    [
      'a missing part',
      registering(`api.registerHypervisor({ name: 'x', runtime: { deviceRequests: [] } })`),
      /^hypervisor\.runtime\.memoryOverheadBytes must be a function, not undefined$/,
    ],
    [
      'a contract that throws',
      registering(`api.registerHypervisor({ name: 'x', admission: { validate() { throw new Error('boom') } } })`),
      /^boom$/,
    ],
    [
      'a key that is taken',
      registering(`api.registerHypervisor({ name: 'x', defaults: { '*': {} } }); api.register.defaults('x', {})`),
      /already has a defaults provider$/,
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
    ['missing', /there is no .*node_modules\/missing\/package\.json; install the package: npm install --prefix /],
    ['../escape', /is neither the name of a package nor an absolute path/],
  ])('that is not there is named: %s', async (name, reason) => {
    await list(name);
    expect((await loadPlugins(home))[0]?.problem).toMatch(reason);
  });

  it('that others may write is not run', async () => {
    await install('open', registering(`api.registerHypervisor({ name: 'open' })`));
    await chmod(join(home, 'node_modules/open/index.js'), 0o666);
    await list('open');
    expect((await loadPlugins(home))[0]?.problem).toMatch(/index\.js can be written by others/);
  });

  it('that hangs is given up, and cannot come back later', async () => {
    await install('slow', `export default { apiVersion: 1, register: () => new Promise(() => {}) };`);
    await install('after', registering(`api.registerHypervisor({ name: 'after' })`));
    await list('slow', 'after');
    const reports = await loadPlugins(home, { timeoutMs: 50 });
    expect(reports).toMatchObject([{ problem: 'took more than 50 ms to load' }, { hypervisors: ['after'] }]);
  });
});
