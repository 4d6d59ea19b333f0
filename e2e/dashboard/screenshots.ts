import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where pictures go, if anywhere: `VIREO_TEST_SCREENSHOTS=DIR npx vitest run e2e/dashboard`. */
const directory = process.env.VIREO_TEST_SCREENSHOTS;

/** Takes a picture of a page, light and dark, where pictures are wanted. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!directory) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: null });
}
