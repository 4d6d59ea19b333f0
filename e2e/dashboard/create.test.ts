import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
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

describe('templates and key pairs', () => {
  const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPVf07ezDiVAqXnjuYwY+Jl2UYGq2s2sSsAcKfWWHmBP ada@example.com';
  const apply = (object: object): Promise<void> => vms.create(JSON.stringify(object));
  const harvester = (kind: string, name: string, spec: object): Promise<void> =>
    apply({ apiVersion: 'harvesterhci.io/v1beta1', kind, metadata: { name }, spec });
  /** How a template of KubeVirt refers to a parameter. */
  const ref = (name: string): string => `\${${name}}`;
  const useSettings = () => button('Use its settings').click();
  const openForm = async (open: Page, address: string): Promise<void> => {
    await visit(open, new URL(address, open.url()).href);
    await open
      .getByRole('button', { name: /^Create/ })
      .first()
      .waitFor();
  };

  it('are not offered while there are none', async () => {
    await openForm(page, '/dashboard/create');
    await page.getByText('From a template').click();
    await page.getByText('There are no templates.').waitFor();
    expect(await page.getByRole('group', { name: 'Key pairs' }).count()).toBe(0);
  });

  it('keys are picked by name, and the text stays editable', async () => {
    await harvester('KeyPair', 'ada', { publicKey: KEY });
    const ada = page.getByRole('checkbox', { name: 'ada' });
    await ada.check();
    await line('ssh_authorized_keys').waitFor();
    expect(await field('SSH keys').inputValue()).toBe(KEY);
    await field('SSH keys').fill('');
    await expect.poll(() => ada.isChecked()).toBe(false);
    await field('Start-up data').selectOption('own');
    await field('User data').fill('#cloud-config\npackages: [git] # mine\n');
    await ada.check();
    await expect.poll(() => field('User data').inputValue()).toContain(KEY);
    expect(await field('User data').inputValue()).toContain('# mine');
    expect(await seriousProblems()).toEqual([]);
    await look(page, 'create-keys', { height: 1800 });
    await ada.uncheck();
    await expect.poll(() => field('User data').inputValue()).not.toContain(KEY);
  });

  it('a version of a template of Harvester fills the form', async () => {
    const { spec } = JSON.parse(vm('kept', { runStrategy: 'Halted', memory: '96Mi' }));
    await harvester('VirtualMachineTemplate', 'small', { description: 'a small machine' });
    for (const memory of ['96Mi', '128Mi']) {
      spec.template.spec.domain.memory.guest = memory;
      await harvester('VirtualMachineTemplateVersion', `small-${memory.toLowerCase()}`, {
        templateId: 'default/small',
        vm: { spec },
      });
      await vms.kubectl.do(
        `wait virtualmachinetemplateversions.harvesterhci.io small-${memory.toLowerCase()} --for=jsonpath={.status.version}`,
      );
    }
    await field('Template').selectOption({ label: 'default/small: a small machine' });
    await expect
      .poll(() => field('Version').locator('option').allTextContents())
      .toEqual(['Version 1 (default)', 'Version 2']);
    await useSettings();
    await expect.poll(() => field('Memory').inputValue()).toBe('96Mi');
    await field('Version').selectOption('Version 2');
    await useSettings();
    await expect.poll(() => field('Memory').inputValue()).toBe('128Mi');
    await field('Name').fill('of-harvester');
    await page.getByText('The server would accept this.').waitFor();
    await look(page, 'create-template');
    await field('Name').press('Control+Enter');
    await vms.untilStatus('of-harvester', 'Stopped');
    expect(await vms.kubectl('get vm of-harvester -o jsonpath={.spec.template.spec.domain.memory.guest}')).toBe(
      '128Mi',
    );
  });

  it('a template of KubeVirt asks for its parameters, and the server fills the form', async () => {
    const { spec } = JSON.parse(vm('kept', { runStrategy: 'Halted' }));
    spec.template.spec.domain.memory.guest = ref('MEMORY');
    await apply({
      apiVersion: 'template.kubevirt.io/v1beta1',
      kind: 'VirtualMachineTemplate',
      metadata: { name: 'golden' },
      spec: {
        message: `hello ${ref('NAME')}`,
        parameters: [
          { name: 'NAME', displayName: 'Name of the VM', required: true },
          { name: 'MEMORY', value: '64Mi' },
        ],
        virtualMachine: { metadata: { name: ref('NAME') }, spec },
      },
    });
    await openForm(page, '/dashboard/create');
    await page.getByText('From a template').click();
    await field('Template').selectOption({ label: 'default/golden (KubeVirt)' });
    const use = page.getByRole('button', { name: /^Use its settings/ });
    expect(await use.getAttribute('title')).toBe('These parameters need a value: Name of the VM.');
    await field('Name of the VM').fill('of-kubevirt');
    await use.click();
    await page.locator('.notice', { hasText: 'hello of-kubevirt' }).waitFor();
    expect(await field('Name').inputValue()).toBe('of-kubevirt');
    expect(await field('Memory').inputValue()).toBe('64Mi');
    await page.getByText('The server would accept this.').waitFor();
    await field('Name').press('Control+Enter');
    await vms.untilStatus('of-kubevirt', 'Stopped');
  });

  it('are not offered to whom they may not be listed', async () => {
    const rule = [
      'create',
      'clusterrole',
      'maker',
      '--verb=list,watch,create',
      '--resource=virtualmachines.kubevirt.io',
    ];
    await vms.kubectl.do(rule.join(' '));
    await vms.kubectl.do('create clusterrolebinding maker --clusterrole=maker --user=maker');
    const maker = await openDashboard(vms.server().kubeconfig, '--as', 'maker');
    try {
      const other = await browser.open(maker.address);
      // The code in the address has been exchanged.
      await other.locator('.bar-user').waitFor();
      await openForm(other, '/dashboard/create?namespace=default');
      await other.getByLabel('SSH keys', { exact: true }).waitFor();
      await other.getByText('From another machine').waitFor();
      expect(await other.getByText('From a template').count()).toBe(0);
      expect(await other.getByRole('group', { name: 'Key pairs' }).count()).toBe(0);
    } finally {
      await maker.stop();
    }
    await visit(page, new URL('/dashboard/machines/default/made', page.url()).href);
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
    // Some pages are still open whose dashboard has ended.
    const isExpected = /^Failed to load resource|net::ERR_CONNECTION_REFUSED/;
    expect(browser.problems().filter((problem) => !isExpected.test(problem))).toEqual([]);
  });
});
