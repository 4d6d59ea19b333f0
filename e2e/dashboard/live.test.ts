import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { vm } from '../vms/manifests.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
import { type CuttableLine, layLine } from './cuttableLine.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';

let home: string;
let remove: () => Promise<void>;
let vireo: Vireo;
let kubectl: Kubectl;
let browser: Browser;
let dashboard: OpenDashboard;
let line: CuttableLine;
/** The page of `vireo dashboard`, and that of the server, with a token. */
let local: Page;
let direct: Page;
/** What the local page has connected to. */
const sockets: string[] = [];

const start = async (port?: number): Promise<void> => {
  vireo = await startVireo({ home, vms: true, simulatedNodes: 1, ...(port !== undefined && { port }) });
};
const create = (...names: string[]): Promise<void> =>
  kubectl.do('apply -f -', { input: names.map((name) => vm(name, { runStrategy: 'Halted' })).join('\n') });

beforeAll(async () => {
  ({ home, remove } = await temporaryHome());
  await start();
  kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
  await kubectl.do('create serviceaccount jane');
  await kubectl.do('create clusterrolebinding jane --clusterrole=cluster-admin --serviceaccount=default:jane');
  await create(...Array.from({ length: 12 }, (_, index) => `vm-${index}`));
  browser = await launchBrowser();
  line = await layLine(vireo.port);
  const throughLine = join(home, 'line.kubeconfig');
  await writeFile(throughLine, (await readFile(vireo.kubeconfig, 'utf8')).replace(`:${vireo.port}`, `:${line.port}`));
  dashboard = await openDashboard(throughLine);
  local = await browser.open('about:blank');
  local.on('websocket', (socket) => sockets.push(new URL(socket.url()).pathname));
  await visit(local, dashboard.address);
  direct = await browser.open(`https://127.0.0.1:${line.port}/dashboard/`);
  await direct.getByLabel('Token').fill((await kubectl('create token jane')).trim());
  await direct.getByRole('button', { name: /^Log in$/ }).click();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
  line?.close();
  await runVireo(['down', '--home', home, '--force']);
  await remove?.();
});

const connection = (page: Page): Promise<string | null> => page.locator('.connection').textContent();
const names = async (page: Page): Promise<string[]> =>
  (await page.locator('.table-body .cell-name a').allTextContents()).sort();
const stored = async (): Promise<string[]> =>
  (await kubectl('get vm -o name'))
    .split('\n')
    .map((name) => name.replace(/^.*\//, ''))
    .sort();

describe('a list', () => {
  it('shows each machine once', async () => {
    for (const page of [local, direct]) await expect.poll(() => names(page)).toEqual(await stored());
  });

  it('of vireo dashboard has one connection for all watches, whichever pages are visited', async () => {
    for (const place of ['Nodes', 'Replica sets and pools', 'Images and volumes', 'Settings', 'Machines']) {
      await local.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: place }).click();
      await local.getByRole('heading', { level: 1, name: place }).waitFor();
      await expect.poll(() => connection(local)).toBe('Live');
    }
    expect(sockets.filter((path) => path === '/dashboard/watches')).toHaveLength(1);
  });

  it('continues after a cut where it was, without reading everything again', async () => {
    const asked: string[] = [];
    direct.on('request', (request) => {
      if (/virtualmachines\?/.test(request.url())) asked.push(request.url());
    });
    line.cut();
    await create('during-the-cut');
    await kubectl.do('delete vm vm-0');
    for (const page of [local, direct]) {
      await expect.poll(() => connection(page)).toMatch(/^(Reconnecting|Offline)/);
      expect(await names(page)).toContain('vm-0');
    }
    line.mend();
    const now = await stored();
    for (const page of [local, direct]) {
      await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(now);
      await expect.poll(() => connection(page)).toBe('Live');
    }
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.includes('watch=1'))).toEqual([]);
    direct.removeAllListeners('request');
  });
});

describe('a connection that is dead without a word', () => {
  it('is told and tried anew by the server’s page, too, on which nobody else says so', async () => {
    const page = await browser.open('about:blank');
    // Timers of the page come when the test says so; the clock moves with them, so that it does not seem to have slept.
    await page.clock.install();
    await visit(page, `https://127.0.0.1:${line.port}/dashboard/`);
    await page.getByLabel('Token').fill((await kubectl('create token jane')).trim());
    await page.getByRole('button', { name: /^Log in$/ }).click();
    await expect.poll(() => names(page)).toEqual(await stored());
    await expect.poll(() => connection(page)).toBe('Live');
    line.hold();
    try {
      await create('during-the-silence');
      await page.clock.runFor(60_000);
      expect(await connection(page)).toBe('Live');
      await page.clock.runFor(16_000);
      await expect.poll(() => connection(page)).toMatch(/^(Reconnecting|Offline)/);
      expect(await names(page)).not.toContain('during-the-silence');
    } finally {
      line.mend();
    }
    // Tries that were held end in the same way, at the latest.
    const caughtUp = async (): Promise<string | null> => {
      await page.clock.runFor(15_000);
      return connection(page);
    };
    await expect.poll(caughtUp, { timeout: 60_000, interval: 1_000 }).toBe('Live');
    await expect.poll(() => names(page)).toEqual(await stored());
    await page.context().close();
  }, 120_000);
});

describe('a server that is killed', () => {
  it('is told, and what was there stays', async () => {
    const before = await names(local);
    await vireo.kill();
    for (const page of [local, direct]) {
      await expect.poll(() => connection(page), { timeout: 30_000 }).toMatch(/^Offline, data of \d/);
      expect(await names(page)).toEqual(before);
    }
    // The time is that of the data, not that of the last try.
    const told = await connection(direct);
    let tries = 0;
    direct.on('requestfailed', () => tries++);
    await expect.poll(() => tries, { timeout: 40_000 }).toBeGreaterThan(1);
    expect(await connection(direct)).toBe(told);
    direct.removeAllListeners('requestfailed');
  });

  it('and comes back is caught up with by itself: nothing is lost, and nothing twice', async () => {
    await start(vireo.port);
    await create('after-the-crash');
    await kubectl.do('delete vm vm-1 vm-2');
    const now = await stored();
    for (const page of [local, direct]) {
      await expect.poll(() => connection(page), { timeout: 30_000 }).toBe('Live');
      await expect.poll(() => names(page)).toEqual(now);
    }
    await create('later');
    for (const page of [local, direct]) await expect.poll(() => names(page)).toContain('later');
    expect(sockets.filter((path) => path === '/dashboard/watches')).toHaveLength(1);
  });
});

describe('a login of the kubeconfig that ends', () => {
  it('is told with what to do, and the page goes on when the kubeconfig has another', async () => {
    const kubeconfig = join(home, 'jane.kubeconfig');
    const as = async (token: string): Promise<void> => {
      const admin = JSON.parse((await kubectl.run('config view --raw -o json')).stdout) as {
        users: { user: object }[];
      };
      const users = admin.users.map((each) => ({ ...each, user: { token } }));
      await writeFile(kubeconfig, JSON.stringify({ ...admin, users }));
    };
    const anotherToken = async (): Promise<string> => {
      await kubectl.do('create serviceaccount jane');
      return (await kubectl('create token jane')).trim();
    };
    await as((await kubectl('create token jane')).trim());
    const own = await openDashboard(kubeconfig);
    try {
      const page = await browser.open(own.address);
      await expect.poll(() => names(page)).toEqual(await stored());
      // A token of a ServiceAccount ends with it.
      await kubectl.do('delete serviceaccount jane');
      await page.getByRole('link', { name: 'Nodes' }).click();
      await page.getByText('The login of your kubeconfig has ended.').waitFor();
      await as(await anotherToken());
      await page.getByRole('link', { name: 'simulated-0' }).waitFor();
      expect(await page.getByText('The login of your kubeconfig has ended.').count()).toBe(0);
      await kubectl.do('delete serviceaccount jane');
      await page.reload();
      await page.getByRole('heading', { name: 'The cluster does not let you in' }).waitFor();
      await as(await anotherToken());
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'simulated-0' }).waitFor();
    } finally {
      await own.stop();
    }
  });
});
