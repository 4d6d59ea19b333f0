import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { palettePng } from './palettePng.ts';

/**
 * Where pictures go, if anywhere. `VIREO_TEST_SCREENSHOTS=docs/images npm run browser` makes those of docs/dashboard.md
 * anew.
 */
const directory = process.env.VIREO_TEST_SCREENSHOTS;

/** Pictures that only whoever works on the page looks at; docs/images/other is not committed. */
const OTHER = 'other';

const SIZES = { usual: { width: 1280, height: 720 }, narrow: { width: 390, height: 780 } } as const;
const THEMES = ['light', 'dark'] as const;

interface Options {
  readonly height?: number;
  /** False for a page that has lost its login, or its server. */
  readonly isLive?: boolean;
}

/** Takes a picture of a page for docs/dashboard.md, light and dark, where pictures are wanted. */
export const shoot = (page: Page, name: string, options: Options = {}): Promise<void> =>
  take(page, `dashboard-${name}`, options);

/** Takes a picture of something that docs/dashboard.md does not show, such as a dialog. */
export const look = (page: Page, name: string, options: Options = {}): Promise<void> =>
  take(page, join(OTHER, name), options);

async function take(page: Page, name: string, { height, isLive = true }: Options): Promise<void> {
  if (!directory) return;
  if (isLive) await untilLive(page);
  await untilQuiet(page);
  if (height) await page.setViewportSize({ width: SIZES.usual.width, height });
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await settle(page);
    await save(page, join(directory, `${name}-${colorScheme}.png`));
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (height) await page.setViewportSize(SIZES.usual);
}

/** Takes a picture of a page on a phone. */
export async function shootNarrow(page: Page, name: string): Promise<void> {
  if (!directory) return;
  await untilLive(page);
  await untilQuiet(page);
  await page.setViewportSize(SIZES.narrow);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await settle(page);
  await save(page, join(directory, `dashboard-${name}-narrow.png`));
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(SIZES.usual);
}

async function save(page: Page, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, palettePng(await page.screenshot({ caret: 'hide' })));
}

/** Shows what a test that failed saw. */
export async function shootFailure(page: Page | undefined, test: string): Promise<void> {
  if (!directory || !page || page.isClosed()) return;
  await page.screenshot({ path: join(directory, OTHER, `failed-${test.replaceAll(/\W+/g, '-')}.png`) });
}

/** Until the page has read what it shows. The page that asks for a login reads nothing. */
const untilLive = (page: Page): Promise<void> =>
  page.locator('.connection', { hasNotText: /^Live$/ }).waitFor({ state: 'detached' });

/** Until short messages are gone. */
async function untilQuiet(page: Page): Promise<void> {
  // Pictures are taken in hooks, too, where expect.poll is not possible.
  const areGone = async (): Promise<void> => expect(await page.locator('.notice:not(.notice-error)').count()).toBe(0);
  await vi.waitFor(areGone, { timeout: 15_000, interval: 200 });
}

/** What draws itself, such as charts and terminals, follows the new colours and sizes in the next frames. */
const settle = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))');
