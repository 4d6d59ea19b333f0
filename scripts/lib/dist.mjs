import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { builtPage } from './dashboard.mjs';
import { root } from './paths.mjs';

/**
 * Makes what is installed from the sources: every package below `directory`, JavaScript without types, imports that
 * lead to it, source maps, and the other files that the product needs.
 *
 * @param {string} directory
 */
export function makeDist(directory) {
  const packages = join(root, 'packages');
  const files = globSync('*/src/**/*', { cwd: packages }).filter(
    (file) => isShipped(file) && statSync(join(packages, file)).isFile(),
  );
  for (const file of files) {
    const target = join(directory, shippedName(file));
    mkdirSync(dirname(target), { recursive: true });
    if (!file.endsWith('.ts')) copyFileSync(join(packages, file), target);
    else writeModule(readFileSync(join(packages, file), 'utf8'), file, target);
  }
  for (const file of globSync('*/package.json', { cwd: packages })) {
    const { name, version, license, type } = JSON.parse(readFileSync(join(packages, file), 'utf8'));
    writeFileSync(join(directory, file), `${JSON.stringify({ name, version, license, type })}\n`);
  }
  if (!existsSync(join(builtPage, 'index.html')))
    throw new Error('the dashboard is not built; `npm run check` builds it, or says why it cannot');
  cpSync(builtPage, join(directory, 'dashboard/dist'), { recursive: true });
  checkImports(directory, files.filter((file) => file.endsWith('.ts')).map(shippedName));
}

/** Whether a file below `packages/` is part of the product: not tests, what they use, or pages about the code. */
export const isShipped = (/** @type {string} */ file) =>
  !/\.test\.ts$|\.d\.ts$|\.md$|\/(testing|goldens|node_modules)\//.test(file);

/** Sources become JavaScript; all else keeps its name. */
export const shippedName = (/** @type {string} */ file) => file.replace(/\.ts$/, '.js');

function writeModule(source, file, target) {
  const code = rewriteImports(stripTypeScriptTypes(source), file);
  writeFileSync(target, `${code.trimEnd()}\n//# sourceMappingURL=${basename(target)}.map\n`);
  writeFileSync(`${target}.map`, JSON.stringify(sourceMap(source, file)));
}

const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"])([^'"\n]+)\2/g;

/**
 * Imports as they are in `dist/`: of the sources by their new names, of the packages of the project by paths.
 *
 * @param {string} code
 * @param {string} file below `packages/`
 */
export function rewriteImports(code, file) {
  return code.replaceAll(IMPORT, (_, before, quote, name) => before + quote + shippedImport(name, file) + quote);
}

function shippedImport(name, file) {
  if (name.startsWith('.')) return shippedName(name);
  const [, packageName, path = 'index.ts'] = /^@vireo\/([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  if (packageName === undefined) return name;
  const target = relative(dirname(file), join(packageName, 'src', shippedName(path)));
  return target.startsWith('.') ? target : `./${target}`;
}

/**
 * Types leave blanks behind: every line and, but for imports, every column is where it was.
 *
 * @param {string} source
 * @param {string} file
 */
export function sourceMap(source, file) {
  const lines = source.split('\n').length;
  const mappings = `AAAA${';AACA'.repeat(lines - 1)}`;
  return { version: 3, sources: [`vireo:packages/${file}`], sourcesContent: [source], names: [], mappings };
}

const PACKAGE_IMPORT = /^(?:import|export)(?: [^;'"=]* from)? ['"](?!node:)([a-z@][^'"\n]*)['"]/gm;

/** `@scope/name/part` → `@scope/name`. */
const packageOf = (/** @type {string} */ name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Nothing that is imported may be missing: a product file that needs a test's helper, or a name this did not read. */
function checkImports(directory, files) {
  const { bundleDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const file of files) {
    const code = readFileSync(join(directory, file), 'utf8');
    for (const [, , , name] of code.matchAll(IMPORT)) {
      if (!name.startsWith('.') || !/\.(js|json)$/.test(name)) continue;
      if (!existsSync(join(directory, dirname(file), name)))
        throw new Error(`${file} needs ${name}, which is not shipped`);
    }
    for (const [, name] of code.matchAll(PACKAGE_IMPORT)) {
      if (!bundleDependencies.includes(packageOf(name))) throw new Error(`${file} needs ${name}, which is not bundled`);
    }
    const left = /^(?!\s*(?:\*|\/\/|\/\*)).*['"`](?:\.{1,2}\/|@vireo\/)[^'"`\n]*\.ts['"`]/m.exec(code);
    if (left) throw new Error(`${file} names a source: ${left[0].trim()}`);
  }
}

if (process.argv[1] === import.meta.filename) makeDist(process.argv[2]);
