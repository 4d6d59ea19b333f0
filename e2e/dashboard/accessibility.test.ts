import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vm } from '../vms/manifests.ts';
import { seriousProblemsInBoth } from './axe.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
import { focusOf, tabThrough } from './focus.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';
import { useSimulatedVms } from './simulated.ts';

const LONG = 'a-machine-with-a-name-that-is-as-long-as-names-can-be-so-it-is-cut';
const OTHERS = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: { name: workers }
spec:
  replicas: 2
  selector: { matchLabels: { app: workers } }
  template:
    metadata: { labels: { app: workers } }
    spec: { domain: { memory: { guest: 64Mi }, devices: {} } }
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: { name: data }
spec:
  source: { blank: {} }
  storage: { resources: { requests: { storage: 1Mi } } }
`;

const vms = useSimulatedVms();
let browser: Browser;
let dashboard: OpenDashboard;
let page: Page;
let origin: string;
beforeAll(async () => {
  await vms.simulate();
  const wanted = { name: 'wanted', dataVolume: { name: 'wanted' } };
  const template = {
    metadata: { name: 'wanted' },
    spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Mi' } } } },
  };
  await vms.create(
    vm('web'),
    vm(LONG, { runStrategy: 'Halted' }),
    // Nobody uploads its disk, so that it is on its way for ever.
    vm('waits', { volumes: [wanted], vmSpec: { dataVolumeTemplates: [template] } }),
  );
  await vms.kubectl.do('apply -f -', { input: OTHERS });
  await vms.untilStatus('web', 'Running');
  browser = await launchBrowser();
  dashboard = await openDashboard(vms.server().kubeconfig);
  page = await browser.open(dashboard.address);
  ({ origin } = new URL(page.url()));
  await page.locator('.bar-user').waitFor();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});

/** Opens a page of the dashboard and waits until it shows what it has. */
async function open(path: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 });
  await visit(page, `${origin}/dashboard${path}`);
  await page.locator('main h1').first().waitFor();
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  await page.getByText('Live', { exact: true }).waitFor();
}

const TABS = ['console', 'screen', 'metrics', 'disks', 'network', 'snapshots', 'graph', 'events', 'yaml'];
const PAGES = [
  '/',
  '/?q=nothing+like+it',
  '/create',
  '/consoles',
  '/consoles?open=serial/default/web',
  '/sets',
  '/sets/default/workers',
  '/images',
  '/images/exports',
  '/images/usage',
  '/images/volumes/DataVolume/default/data',
  '/nodes',
  '/nodes/simulated-0',
  '/access',
  '/settings',
  '/settings/kubevirt',
  '/settings/gates',
  '/settings/yaml',
  '/nowhere',
  '/machines/default/nobody',
  '/machines/default/waits',
  `/machines/default/${LONG}`,
  ...['', ...TABS].map((tab) => `/machines/default/web/${tab}`),
  '/machines/default/web/graph?view=tree',
];

/** Runs in the page: what is wider than the window, as far as the page itself must be scrolled for it. */
const TOO_WIDE = `(() => {
  const wide = (element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'hidden';
  const parts = [document.documentElement, document.querySelector('main')].filter((each) => each && wide(each));
  if (parts.length === 0) return [];
  return [...document.querySelectorAll('main *, header *')]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && each.children.length === 0)
    .slice(0, 3).map((each) => each.outerHTML.slice(0, 120)).concat('the page is ' + parts[0].scrollWidth + ' px wide');
})()`;

describe.each(PAGES)('the page %s', (path) => {
  it('has nothing serious for axe, light and dark', async () => {
    await open(path);
    expect(await seriousProblemsInBoth(page)).toEqual([]);
  });

  it('fits into narrow windows without scrolling sideways', async () => {
    for (const width of [640, 360]) {
      await page.setViewportSize({ width, height: 720 });
      await expect.poll(() => page.evaluate(TOO_WIDE), { message: `${width} px` }).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});

describe('the keyboard', () => {
  // Terminals and screens take every key, Tab too; a sentence below says how to get out of them.
  it.each(PAGES.filter((path) => !/console|screen/.test(path)))('reaches everything on %s, in order', async (path) => {
    await open(path);
    const visited = await tabThrough(page);
    expect(visited[0]?.name).toContain('Skip to content');
    const places = visited.slice(1).map(({ place }) => place);
    const firstOf = (place: string): number => places.indexOf(place as (typeof places)[number]);
    expect([firstOf('bar'), firstOf('side'), firstOf('main')]).toEqual(
      [firstOf('bar'), firstOf('side'), firstOf('main')].sort((a, b) => a - b),
    );
    expect(visited.filter(({ isMarked }) => !isMarked)).toEqual([]);
    expect(visited.filter(({ isInSight }) => !isInSight)).toEqual([]);
    expect(visited.filter(({ name }) => /^\S+\s*$/.test(name))).toEqual([]);
  });

  it('skips to the content', async () => {
    await open('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
  });
});

interface DialogCase {
  readonly title: string;
  readonly path: string;
  /** The button that opens it. */
  readonly opener: string | RegExp;
  readonly prepare?: (on: Page) => Promise<unknown>;
}

const DIALOGS: readonly DialogCase[] = [
  { title: 'help', path: '/', opener: 'Keyboard shortcuts' },
  { title: 'the palette', path: '/', opener: /^Commands/ },
  { title: 'stop', path: '/machines/default/web', opener: /^Stop/ },
  { title: 'delete', path: '/machines/default/web', opener: /^Delete/ },
  {
    title: 'delete several',
    path: '/',
    opener: /^Delete/,
    prepare: (on) => on.getByLabel('Select web', { exact: true }).check(),
  },
  { title: 'a snapshot', path: '/machines/default/web/snapshots', opener: /snapshot/i },
  { title: 'a card', path: '/machines/default/web/network', opener: /^Plug in a card/ },
  { title: 'a volume', path: '/images', opener: /^Empty disk/ },
  { title: 'an upload', path: '/images', opener: /^Upload/ },
];

describe.each(DIALOGS)('the dialog for $title', ({ path, opener, prepare }) => {
  it('keeps the focus, closes with Esc and gives the focus back', async () => {
    await open(path);
    await prepare?.(page);
    const button = page.getByRole('button', { name: opener }).first();
    await button.focus();
    const before = await focusOf(page);
    await page.keyboard.press('Enter');
    const dialog = page.locator('dialog[open]');
    await dialog.waitFor();
    expect((await focusOf(page))?.place).toBe('dialog');
    expect(await seriousProblemsInBoth(page)).toEqual([]);
    for (let step = 0; step < 25; step++) {
      await page.keyboard.press('Tab');
      // Between the last and the first, the browser's own controls have the focus.
      expect((await focusOf(page))?.place ?? 'dialog').toBe('dialog');
    }
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await page.evaluate(TOO_WIDE)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect((await focusOf(page))?.name).toBe(before?.name);
  });
});

it('nothing moves for those who do not want it', async () => {
  await open('/');
  const moving = (): Promise<number> =>
    page.evaluate<number>(`document.getAnimations().filter((each) => each.playState === 'running').length`);
  await expect.poll(moving).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(moving).toBe(0);
  await page.emulateMedia({ reducedMotion: null });
});

it('a change of the state is told to screen readers, and states are told by words, not only by colours', async () => {
  await open('/machines/default/web');
  const badge = page.locator('.page-head .badge');
  expect(await badge.textContent()).toContain('Running');
  await open('/');
  await expect.poll(() => page.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1);
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(3);
  expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
});

it('no page has reported an error or a breach of its policy', () => {
  expect(browser.problems().filter((text) => !/40[34] \(/.test(text))).toEqual([]);
});
