import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import { isShipped, rewriteImports, sourceMap } from './dist.mjs';

it.each([
  ["import { a } from './a.ts';", "import { a } from './a.js';"],
  ["export * from '../b/index.ts';", "export * from '../b/index.js';"],
  ["import './side.ts';", "import './side.js';"],
  ["const m = await import('../c.ts');", "const m = await import('../c.js');"],
  ["new Worker(new URL('./worker.ts', import.meta.url))", "new Worker(new URL('./worker.js', import.meta.url))"],
  ["import { x } from '@vireo/api';", "import { x } from '../../../api/src/index.js';"],
  ["import { x } from '@vireo/api/kinds/vm.ts';", "import { x } from '../../../api/src/kinds/vm.js';"],
  ["import { x } from '@vireo/cli/y.ts';", "import { x } from '../y.js';"],
  ["import { x } from '@vireo/cli/commands/y.ts';", "import { x } from './y.js';"],
  ["import { readFile } from 'node:fs';", "import { readFile } from 'node:fs';"],
  ["import { Command } from 'commander';", "import { Command } from 'commander';"],
  ["import p from '../package.json' with { type: 'json' };", "import p from '../package.json' with { type: 'json' };"],
])('%s becomes %s', (before, after) => {
  expect(rewriteImports(before, 'cli/src/commands/up.ts')).toBe(after);
});

it.each([
  ['cli/src/main.ts', true],
  ['node/src/guestImage/files/rootfs/etc/passwd', true],
  ['network/src/router/advertise.pl', true],
  ['cli/src/main.test.ts', false],
  ['cli/src/testing/help.ts', false],
  ['hypervisor/src/convert/goldens/efi.xml', false],
  ['kube/src/README.md', false],
])('%s is shipped: %s', (file, shipped) => {
  expect(isShipped(file)).toBe(shipped);
});

it('a line without its types is where it was', () => {
  const source = 'interface A {\n  a: string;\n}\nconst a = 1 as number;\nthrow new Error();\n';
  const stripped = stripTypeScriptTypes(source).split('\n');
  expect(stripped.findIndex((line) => line.includes('throw'))).toBe(4);
  expect(sourceMap(source, 'x/src/y.ts').mappings.split(';')).toHaveLength(stripped.length);
});
