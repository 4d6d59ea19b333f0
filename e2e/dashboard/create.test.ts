import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { type Browser, launchBrowser } from './browser.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';
import { look, shoot } from './screenshots.ts';

const vms = useVms();
let browser: Browser;
let dashboard: OpenDashboard;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  dashboard = await openDashboard(vms.server().kubeconfig);
  page = await browser.open(dashboard.address);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
});

const field = (label: string) => page.getByLabel(label, { exact: true });
const button = (name: string) => page.getByRole('button', { name });
const line = (text: string) => page.locator('.cm-line', { hasText: text }).first();

/** Replaces the end of a line of the editor. */
async function typeOver(text: string, count: number, next: string): Promise<void> {
  await line(text).click();
  await page.keyboard.press('End');
  for (let typed = 0; typed < count; typed++) await page.keyboard.press('Backspace');
  await page.keyboard.type(next);
  await page.keyboard.press('Escape');
}

async function seriousProblems(): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id);
}

describe('the form for a new machine', () => {
  it('opens with c, and says at the field what the server refuses', async () => {
    await button('Create').first().waitFor();
    await page.keyboard.press('c');
    await field('Name').fill('Not_A_Name');
    await page.locator('.field-problem').filter({ hasText: 'RFC 1123' }).waitFor();
    expect(await seriousProblems()).toEqual([]);
  });

  it('and the YAML change each other, and a comment stays', async () => {
    await field('Name').fill('made');
    await field('Image').selectOption({ label: 'another image…' });
    await field('Reference').fill('vireo/boot-sector');
    await page.getByRole('checkbox', { name: /Keep the disk/ }).uncheck();
    await typeOver('cores: 1', 1, '2 # mine');
    expect(await field('CPU cores').inputValue()).toBe('2');
    await field('Memory').fill('64Mi');
    await line('guest: 64Mi').waitFor();
    await line('# mine').waitFor();
  });

  it('keeps its contents while the YAML is broken, and names the line', async () => {
    await typeOver('runStrategy: Always', 0, ': x');
    await page.getByText('The YAML cannot be read.').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'cannot be read' }).textContent()).toContain('Line 7');
    expect(await field('Name').inputValue()).toBe('made');
    await typeOver('runStrategy: Always: x', 3, '');
    await page.getByText('The server would accept this.').waitFor();
  });

  it('creates the machine and shows it', async () => {
    await field('Name').focus();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/machines\/[^/]+\/made$/);
    await page.locator('.page-head .badge').getByText('Running').waitFor({ timeout: 60_000 });
    await vms.untilStatus('made', 'Running');
  });
});

describe('the YAML of a machine', () => {
  it('is merged with what others stored meanwhile', async () => {
    await page.getByRole('link', { name: 'YAML' }).click();
    await line('runStrategy: Always').waitFor();
    await typeOver('runStrategy: Always', 6, 'RerunOnFailure');
    await vms.kubectl.do('label vm made team=blue');
    await page.getByText('Changed by others since you began').waitFor();
    await button('Review').click();
    await look(page, 'yaml-conflict');
    await button('Continue with the merge').click();
    await button('Review').click();
    await page.getByText('The server accepts this').waitFor();
    await shoot(page, 'yaml');
    expect(await seriousProblems()).toEqual([]);
    await button('Apply to made').click();
    await page.getByText('is stored').waitFor();
    const stored = await vms.kubectl('get vm made -o jsonpath={.spec.runStrategy}{.metadata.labels.team}');
    expect(stored).toContain('RerunOnFailureblue');
  });

  it('marks an unknown field at its line', async () => {
    await typeOver('runStrategy: RerunOnFailure', 0, '\nnobodyKnows: 1');
    await button('Review').click();
    await page.getByRole('alert').filter({ hasText: 'unknown field "spec.nobodyKnows"' }).waitFor();
    await page.locator('.cm-lintRange-error', { hasText: 'nobodyKnows' }).waitFor();
    await look(page, 'yaml-problem');
    await button('Discard changes').click();
  });

  it('no style or script breaks the Content-Security-Policy', () => {
    expect(browser.problems().filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([]);
  });
});
