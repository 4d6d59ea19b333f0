import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { type Browser, launchBrowser } from './browser.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';
import { look } from './screenshots.ts';

const vms = useVms();
let browser: Browser;
let dashboard: OpenDashboard;
let page: Page;
beforeAll(async () => {
  await vms.create(vm('web', { runStrategy: 'Halted' }), vm('db', { runStrategy: 'Halted' }));
  browser = await launchBrowser();
  dashboard = await openDashboard(vms.server().kubeconfig);
  page = await browser.open(dashboard.address);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});

const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const button = (name: string | RegExp) => page.getByRole('button', { name });
const tab = (name: string) => page.getByRole('link', { name, exact: true });
const until = async (text: string, on: Page = page): Promise<void> =>
  on.getByText(text).first().waitFor({ timeout: 60_000 });

/** What axe finds that keeps somebody out. */
async function seriousProblems(on: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: on }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe('vireo dashboard', () => {
  it('opens logged in with the printed address, which works once', async () => {
    await row('web').waitFor();
    expect(page.url()).not.toContain('code=');
    await until('Live');
    expect(await row('web').textContent()).toContain('Stopped');
    const other = await browser.open(dashboard.address);
    await until('used already', other);
    await other.close();
  });

  it('shows a VM that starts, as it starts', async () => {
    await vms.kubectl.do(`patch vm web --type merge -p '{"spec":{"runStrategy":"Always"}}'`);
    await row('web').getByText('Running').waitFor({ timeout: 60_000 });
    await row('web').getByText('32 MiB').waitFor();
  });

  it('finds machines by words and states', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('state:running');
    await expect.poll(() => page.getByText('1 of 2 machines').count()).toBe(1);
    expect(page.url()).toContain('q=state');
    await page.getByRole('searchbox').fill('nothing like it');
    await until('No machine matches');
    await button('Clear the search').click();
    await row('db').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  it('keeps the namespace in the address: for the next page, a reload, Back and other tabs', async () => {
    const picker = page.locator('.bar').getByRole('combobox');
    await vms.kubectl.do('create namespace shop');
    await picker.selectOption('shop');
    await until('No machines in namespace shop');
    expect(page.url()).toContain('?ns=shop');
    const nodes = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Nodes' });
    expect(await nodes.getAttribute('href')).toBe('/dashboard/nodes?ns=shop');
    await nodes.click();
    await page.waitForURL(/\/nodes\?ns=shop$/);
    await page.reload();
    await expect.poll(() => picker.inputValue()).toBe('shop');
    await page.goBack();
    await until('No machines in namespace shop');
    await page.goBack();
    await row('db').waitFor();
    expect(await picker.inputValue()).toBe('');
  });

  it('tells why a button cannot be used', async () => {
    await row('db').getByRole('checkbox').check();
    expect(await button(/^Stop/).getAttribute('title')).toBe('It is stopped already.');
    await row('db').getByRole('checkbox').uncheck();
  });

  it('reads the console of a guest, and types on it', async () => {
    await row('web').getByRole('link').click();
    await tab('Console').click();
    await until('Connected');
    await page.locator('.xterm').click();
    // The guest reboots when it gets an r, and says again that it is there.
    await page.keyboard.type('r');
    await expect
      .poll(() => page.locator('.xterm-rows').textContent(), { timeout: 60_000 })
      .toContain('vireo: boot sector ready');
    // xterm.js has its styles, although the page allows no inline ones.
    const colour = await page.evaluate("getComputedStyle(document.querySelector('.xterm-rows')).color");
    expect(colour).toBe('rgb(231, 234, 239)');
  });

  it('shows facts, events, what the VM depends on, and its YAML', async () => {
    await tab('Overview').click();
    await until('Run strategy');
    await page.getByRole('region', { name: 'Conditions' }).getByText('Ready', { exact: true }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await tab('Depends on').click();
    await page.locator('.node', { hasText: 'virt-launcher-web' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await tab('Events').click();
    await page.locator('.line').filter({ hasText: 'SuccessfulCreate' }).first().waitFor();
    await page.locator('.line-of-event').filter({ hasText: 'Pod virt-launcher-web-' }).first().waitFor();
    await tab('YAML').click();
    await until('kind: VirtualMachine');
    expect(await seriousProblems(page)).toEqual([]);
  });

  it('stops a VM after asking, with the focus on Cancel', async () => {
    await button('Stop').click();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Cancel');
    await button('Stop web').click();
    await page.locator('.page-head .badge').getByText('Stopped').waitFor({ timeout: 60_000 });
    await vms.untilStatus('web', 'Stopped');
  });

  it('opens dialogs, tasks and the choice of a namespace from the palette', async () => {
    const run = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find a page' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await run('take snapshot web');
    await page.getByRole('dialog', { name: 'Take a snapshot of web' }).waitFor();
    expect(page.url()).toMatch(/\/machines\/default\/web\/snapshots$/);
    await page.keyboard.press('Escape');
    await run('upload');
    await page.getByRole('dialog', { name: /^Upload/ }).waitFor();
    expect(page.url()).toMatch(/\/images$/);
    await page.keyboard.press('Escape');
    await run('migrate web');
    // It is stopped, and says so instead of running the command.
    await until('It is not running.');
    await page.keyboard.press('Escape');
    await run('tasks');
    await page.getByRole('region', { name: 'Tasks' }).getByText('Stop web').waitFor();
    await page.keyboard.press('Escape');
    await run('change namespace');
    await expect.poll(() => page.evaluate('document.activeElement?.closest(".namespace") !== null')).toBe(true);
  });

  it('forces off a guest that hangs, while it stops and while its VM is deleted', async () => {
    await vms.create(vm('hung', { guest: 'deaf', graceSeconds: 3600 }));
    await vms.untilStatus('hung', 'Running');
    await vms.vireo('stop hung');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Machines' }).click();
    await row('hung').getByRole('link').click();
    const badge = page.locator('.page-head .badge');
    await badge.getByText('Stopping').waitFor({ timeout: 60_000 });
    await button('Force off').click();
    await until('as if its power were cut');
    await button('Force off hung').click();
    await badge.getByText('Stopped').waitFor({ timeout: 60_000 });
    await vms.vireo('start hung');
    await vms.untilStatus('hung', 'Running');
    await vms.kubectl.do('delete vm hung --wait=false');
    await badge.getByText('Being deleted').waitFor({ timeout: 60_000 });
    await button('Force off').click();
    await button('Force off hung').click();
    await until('There is no machine hung');
  });

  it('deletes a VM, which disappears from the list', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Machines' }).click();
    const snapshot = { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshot' };
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'db' };
    await vms.create(JSON.stringify({ ...snapshot, metadata: { name: 'before' }, spec: { source } }));
    await row('db').getByRole('checkbox').check();
    await button('Delete').click();
    await page.getByRole('region', { name: 'Snapshots that stay' }).getByText('default/before').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await button('Delete db').click();
    await expect.poll(() => row('db').count(), { timeout: 60_000 }).toBe(0);
    expect(await row('web').count()).toBe(1);
  });

  it('has reported no error and no breach of its policy', () => {
    // The address that was opened a second time.
    expect(browser.problems().filter((text) => !text.includes('/dashboard/session'))).toEqual([]);
  });
});

describe('the dashboard of the server', () => {
  let own: Page;
  beforeAll(async () => {
    await vms.kubectl.do('create serviceaccount reader');
    await vms.kubectl.do('create rolebinding reader --clusterrole=view --serviceaccount=default:reader');
    await vms.kubectl.do(
      'create rolebinding reader-vms --clusterrole=kubevirt.io:view --serviceaccount=default:reader',
    );
    own = await browser.open(`https://127.0.0.1:${vms.server().port}/dashboard/`);
  });

  it('refuses what is no token', async () => {
    await own.getByLabel('Token').fill('nonsense');
    await own.getByRole('button', { name: 'Log in' }).click();
    await until('does not accept this token', own);
    expect(await seriousProblems(own)).toEqual([]);
    await look(own, 'login');
    browser.forget();
  });

  it('offers nothing to a user with the role view, and says why', async () => {
    const token = (await vms.kubectl('create token reader')).trim();
    await own.getByLabel('Token').fill(token);
    await own.getByRole('button', { name: 'Log in' }).click();
    await until('system:serviceaccount:default:reader', own);
    await own.getByRole('link', { name: 'web' }).click();
    await expect
      .poll(() => own.getByRole('button', { name: /^Start/ }).getAttribute('title'))
      .toContain('You are not allowed to update virtualmachines/start');
    await own.getByRole('button', { name: 'Delete' }).click({ force: true });
    expect(await own.locator('dialog').count()).toBe(0);
    expect(await own.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).not.toContain(token);
  });

  it('follows what happens, and forgets the token when the user logs out', async () => {
    await vms.kubectl.do(`patch vm web --type merge -p '{"spec":{"runStrategy":"Always"}}'`);
    await own.locator('.page-head .badge').getByText('Running').waitFor({ timeout: 60_000 });
    await own.getByRole('button', { name: 'Log out' }).click();
    await until('You are logged out', own);
    // The role view has no right to the figures of the whole cluster, and the page asks before.
    expect(browser.problems()).toEqual([]);
  });
});
