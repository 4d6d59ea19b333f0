import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { useVms, type Vms } from '../vms/fixture.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';
import { shootFailure } from './screenshots.ts';

/** A whole Vireo with VMs, `vireo dashboard` for it, and a browser in which its page is open: for the tests of one file. */
export interface Tour {
  readonly vms: Vms;
  browser(): Browser;
  page(): Page;
  /** Opens another address of the page. */
  visit(path: string): Promise<void>;
  button(name: string | RegExp): Locator;
  link(name: string): Locator;
  field(label: string | RegExp): Locator;
  dialog(): Locator;
  /** The row of a table that names an object. */
  row(name: string): Locator;
  /** The state beside the heading. */
  badge(): Locator;
  /** Waits until a text is in sight. */
  see(text: string | RegExp): Promise<void>;
}

const patience = Number(process.env.VIREO_TEST_PATIENCE ?? 1);
/** How long something of a guest may take on a busy host. */
export const GUEST_MS = patience * 180_000;
/** How long a case may take that has several steps. */
export const CASE_MS = patience * 120_000;

export function useTour(...options: string[]): Tour {
  const vms = useVms('--node-name', 'node-1', ...options);
  let browser: Browser | undefined;
  let dashboard: OpenDashboard | undefined;
  let page: Page | undefined;
  const open = (): Page => {
    if (!page) throw new Error('the page is open only while tests run');
    return page;
  };
  beforeAll(async () => {
    if (process.env.VIREO_TEST_EXTENSION === 'remote') await expectRemoteExtension(vms);
    browser = await launchBrowser();
    // An address works once: if its answer was cut, another one is needed.
    for (let isIn = false; !isIn; ) {
      await dashboard?.stop();
      dashboard = await openDashboard(vms.server().kubeconfig);
      page = await browser.open(dashboard.address);
      page.setDefaultTimeout(CASE_MS / 2);
      await page.locator('.bar-user, .gate').first().waitFor();
      isIn = await page.locator('.bar-user').isVisible();
    }
  }, CASE_MS);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await shootFailure(page, task.name);
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.stop();
  });
  return {
    vms,
    browser: () => {
      if (!browser) throw new Error('the browser runs only while tests do');
      return browser;
    },
    page: open,
    visit: async (path) => {
      await visit(open(), new URL(`/dashboard${path}`, open().url()).href);
      await open().locator('.bar-user').waitFor();
    },
    button: (name) => open().getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }),
    link: (name) => open().getByRole('link', { name, exact: true }),
    field: (label) => open().getByLabel(label, { exact: true }),
    dialog: () => open().getByRole('dialog'),
    row: (name) => {
      const page = open();
      const named = page
        .getByRole('rowheader', { name: new RegExp(`^${name}`) })
        .or(page.getByRole('link', { name, exact: true }));
      return page.getByRole('row').filter({ has: named }).first();
    },
    badge: () => open().locator('.page-head .badge').first(),
    see: (text) => open().getByText(text).first().waitFor(),
  };
}

/** A tour over the network must not be one in the server's process without anybody noticing. */
async function expectRemoteExtension({ kubectl }: Vms): Promise<void> {
  expect(await kubectl('get apiservice v1.subresources.kubevirt.io -o jsonpath={.spec.service.name}')).not.toBe('');
  expect(await kubectl('get validatingwebhookconfiguration -o name')).not.toBe('');
}

/** Errors on the console and breaches of the page's policy; refusals that a test has asked for are none. */
export function expectNoProblems(browser: Browser, ...expected: readonly RegExp[]): void {
  expect(browser.problems().filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([]);
}
