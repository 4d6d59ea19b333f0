import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './lib/paths.mjs';

const pages = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', '.cache'] });

/** Links to files of the project in a page, code blocks left out. */
function relativeLinks(markdown) {
  const text = markdown.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, 'code');
  return [...text.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"\s]+)"/g)]
    .map(([, target, picture]) => target ?? picture)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that headings of a page make, as GitHub forms them. */
function anchors(markdown) {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it('finds the links of a page', () => {
  expect(
    relativeLinks(
      '[a](b.md) [`c`](d/e.ts) `[x](y)` [web](https://z)\n```\n[no](code.md)\n```\n[f](#g) <img src="h.png">',
    ),
  ).toEqual(['b.md', 'd/e.ts', '#g', 'h.png']);
});

it.each(pages)('every relative link in %s leads somewhere', (page) => {
  const markdown = readFileSync(join(root, page), 'utf8');
  const broken = relativeLinks(markdown).filter((link) => {
    const [path, anchor] = link.split('#');
    const target = path ? join(root, dirname(page), path) : join(root, page);
    if (!existsSync(target)) return true;
    return Boolean(anchor) && !anchors(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it('docs/README.md links to every page of docs/', () => {
  const links = relativeLinks(readFileSync(join(root, 'docs/README.md'), 'utf8')).map((link) => join('docs', link));
  const unlinked = pages.filter((page) => /^docs\/(?!README)/.test(page) && !links.includes(page));
  expect(unlinked).toEqual([]);
});

it('the controller in CONTRIBUTING.md is the one that is tested', () => {
  const markdown = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const blocks = [...markdown.matchAll(/\]\((\S+\.ts)\)\n\n```ts\n(.*?)```/gs)];
  expect(blocks.map(([, path]) => path.split('/').at(-1))).toEqual(['index.ts', 'reconcile.ts']);
  for (const [, path, code] of blocks) expect(code).toBe(readFileSync(join(root, path), 'utf8'));
});

it('every picture of docs/images is shown on a page', () => {
  const shown = pages.flatMap((page) =>
    relativeLinks(readFileSync(join(root, page), 'utf8')).map((link) => join(dirname(page), link)),
  );
  const pictures = globSync('docs/images/*.png', { cwd: root });
  expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
});
