import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What a kernel module says about itself. Names are written with underscores. */
export interface KernelModule {
  readonly name: string;
  readonly path: string;
  readonly depends: readonly string[];
  readonly aliases: readonly string[];
}

/** The wanted modules of the kernel whose `/lib/modules/VERSION` is given, with all they depend on, dependencies first. */
export async function chooseModules(directory: string, wanted: readonly string[]): Promise<KernelModule[]> {
  const paths = (await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.ko'));
  const available = new Map(paths.map((path) => [moduleName(path), path]));
  const builtIn = new Set((await readFile(join(directory, 'modules.builtin'), 'utf8')).split('\n').map(moduleName));
  const chosen = new Map<string, KernelModule>();
  const choose = async (name: string, neededBy: string): Promise<void> => {
    if (chosen.has(name) || builtIn.has(name)) return;
    const path = available.get(name);
    if (!path) throw new Error(`the kernel in ${directory} has no module ${name}, which ${neededBy} needs`);
    const module = { name, path, ...parseModuleInfo(await readFile(join(directory, path))) };
    for (const dependency of module.depends) await choose(dependency, name);
    chosen.set(name, module);
  };
  for (const name of wanted) await choose(name, 'the guest image');
  return [...chosen.values()];
}

/** Reads the `key=value` strings that end in a zero byte from a module's `.modinfo` section. */
export function parseModuleInfo(module: Buffer): Pick<KernelModule, 'depends' | 'aliases'> {
  const text = module.toString('latin1');
  const values = (key: string) =>
    [...text.matchAll(new RegExp(`\\0${key}=([\\x20-\\x7e]*)(?=\\0)`, 'g'))].map(([, value = '']) => value);
  return {
    depends: (values('depends')[0] ?? '').split(',').filter(Boolean).map(moduleName),
    aliases: values('alias'),
  };
}

/** The text of `modules.dep`: each module with what must be loaded before it, nearest first. */
export function modulesDep(modules: readonly KernelModule[]): string {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const closure = (module: KernelModule): string[] =>
    module.depends.flatMap((name) => {
      const dependency = byName.get(name);
      return dependency ? [dependency.path, ...closure(dependency)] : [];
    });
  return modules.map((module) => `${module.path}: ${[...new Set(closure(module))].join(' ')}`.trim()).join('\n');
}

/** The text of `modules.alias`: which module drives the device that calls itself so. */
export function modulesAlias(modules: readonly KernelModule[]): string {
  return modules.flatMap(({ name, aliases }) => aliases.map((alias) => `alias ${alias} ${name}`)).join('\n');
}

const moduleName = (path: string): string => basename(path, '.ko').replaceAll('-', '_');

/** A module without the signature at its end, which takes an emulated processor longer to check than all the rest. */
export function withoutSignature(module: Buffer): Buffer {
  const mark = Buffer.from('~Module signature appended~\n');
  const markAt = module.length - mark.length;
  if (!module.subarray(markAt).equals(mark)) return module;
  const signatureBytes = module.readUInt32BE(markAt - 4);
  return module.subarray(0, markAt - 12 - signatureBytes);
}
