import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { vm } from '../vms/manifests.ts';
import { seriousProblemsInBoth } from './axe.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
import { type OpenDashboard, openDashboard } from './openDashboard.ts';

/**
 * A Kubernetes with KubeVirt's own kinds and nothing else that Vireo has: no CDI, no snapshots or exports, no subresources,
 * nothing of Harvester, and no page of its own.
 */
const GROUP = 'kubevirt.io';

let home: string;
let remove: () => Promise<void>;
let vireo: Vireo;
let kubectl: Kubectl;
let browser: Browser;
let dashboard: OpenDashboard;
let page: Page;
const asked: string[] = [];
beforeAll(async () => {
  ({ home, remove } = await temporaryHome());
  vireo = await startVireo({ home });
  kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
  const { output } = await runVireo(['install', '--print', 'crds']);
  const kinds = parseAllDocuments(output)
    .map((document) => document.toJS() as { spec: { group: string } })
    .filter(({ spec }) => spec.group === GROUP);
  await kubectl.do('apply --server-side -f -', { input: kinds.map((kind) => JSON.stringify(kind)).join('\n') });
  await kubectl.do('wait crd --all --for=condition=Established --timeout=60s');
  await kubectl.do('apply -f -', { input: vm('web') });
  const status = JSON.stringify({ status: { printableStatus: 'Running' } });
  await kubectl.do(`patch vm web --subresource=status --type merge -p '${status}'`);
  browser = await launchBrowser();
  dashboard = await openDashboard(vireo.kubeconfig);
  page = await browser.open('about:blank');
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visit(page, dashboard.address);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await dashboard?.stop();
  await vireo?.stop();
  await remove?.();
});

const places = (): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
const views = (name: string): Promise<string[]> =>
  page.getByRole('navigation', { name }).getByRole('link').allTextContents();
const go = (place: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: place }).click();

it('machines of any server with KubeVirt’s kinds are listed', async () => {
  await page.getByRole('link', { name: 'web' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'web' }).getByText('Running').waitFor();
});

it('pages that the server has nothing for are not offered', async () => {
  await expect
    .poll(places)
    .toEqual(['Machines', 'Replica sets and pools', 'Images and volumes', 'Nodes', 'Access', 'Settings']);
});

it('views of a machine that the server has nothing for are not offered', async () => {
  await page.getByRole('link', { name: 'web' }).click();
  await expect
    .poll(() => views('Views of the machine'))
    .toEqual(['Overview', 'Metrics', 'Disks', 'Network', 'Events', 'YAML']);
  for (const view of ['Metrics', 'Disks', 'Network', 'Events', 'YAML']) {
    await page.getByRole('navigation', { name: 'Views of the machine' }).getByRole('link', { name: view }).click();
    await page.locator('main').getByText('Loading…').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').allTextContents(), view).toEqual(['']);
    expect(await seriousProblemsInBoth(page)).toEqual([]);
  }
});

it('volumes are claims, exports are not offered, and uploads say what is missing', async () => {
  await go('Images and volumes');
  await page.getByText('This server has no DataVolumes (CDI)').waitFor();
  await expect.poll(() => views('Views of images and volumes')).toEqual(['Volumes', 'Usage']);
  await expect
    .poll(() => page.getByRole('button', { name: /^Upload/ }).getAttribute('title'))
    .toBe('This server has no DataVolumes: CDI is not installed.');
});

it('sources that only CDI can make a disk of are not offered', async () => {
  await go('Machines');
  await page.keyboard.press('c');
  await expect
    .poll(() => page.getByLabel('Source', { exact: true }).getByRole('option').allTextContents())
    .toEqual(['A container disk image', 'A volume, as it is']);
});

it('the settings say that nothing is configured', async () => {
  await go('Settings');
  await page.getByRole('link', { name: 'KubeVirt', exact: true }).click();
  await page.getByText('There is no KubeVirt object').waitFor();
});

it('nothing of Harvester’s or Vireo’s own API is needed', () => {
  expect(asked.filter((path) => path.startsWith('/v1/harvester'))).toEqual([]);
  expect(browser.problems().filter((text) => !/404 \(/.test(text))).toEqual([]);
});
