import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { vm } from '../vms/manifests.ts';
import { look, shoot } from './screenshots.ts';
import { CASE_MS, expectNoProblems, useTour } from './tour.ts';

/** What is missing, forbidden and refused, for an administrator and for somebody with the role view. */
const { vms, browser, page, visit, button, link, see } = useTour();
let reader: Page;
/** Requests of the reader's page that the network or the server has cut. */
const cuts: string[] = [];
/** Chromium cuts all connections when guests bring network devices; the page itself ends what it does not need any more. */
const EXPECTED_CUT = /^net::ERR_(NETWORK_CHANGED|ABORTED) /;

beforeAll(async () => {
  await vms.create(
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { token: 'abc' } }),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
    }),
    vm('shop', {
      runStrategy: 'Halted',
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'keys', secret: { secretName: 'keys' } },
        { name: 'settings', configMap: { name: 'settings' } },
      ],
    }),
  );
  await vms.kubectl.do('create serviceaccount reader');
  for (const role of ['view', 'kubevirt.io:view'])
    await vms.kubectl.do(
      `create rolebinding reader-${role.replaceAll(/\W/g, '-')} --clusterrole=${role} --serviceaccount=default:reader`,
    );
  reader = await browser().open(`https://127.0.0.1:${vms.server().port}/dashboard/`);
  await reader.getByLabel('Token').waitFor();
  await shoot(reader, 'login');
  await reader.getByLabel('Token').fill((await vms.kubectl('create token reader')).trim());
  await reader.getByRole('button', { name: 'Log in' }).click();
  await reader.locator('.bar-user').waitFor();
  reader.on('requestfailed', (request) => cuts.push(`${request.failure()?.errorText} ${request.url()}`));
}, CASE_MS);
const node = (on: Page, kind: string, name: string) =>
  on.locator('.node').filter({ has: on.locator('title', { hasText: `${kind} ${name}` }) });

describe('the page of a machine', { timeout: CASE_MS }, () => {
  it('reads each list once, and of events only those of the machine and of what belongs to it', async () => {
    const lists: string[] = [];
    const note = (request: Request): void => {
      const { pathname, searchParams } = new URL(request.url());
      if (searchParams.has('limit')) lists.push(`${pathname} ${searchParams.get('fieldSelector') ?? ''}`.trim());
    };
    page().on('request', note);
    await visit('/machines/default/shop');
    for (const [tab, shown] of [
      ['Events', 'Time line'],
      ['Disks', 'Events of disks'],
      ['Overview', 'Last events'],
    ] as const) {
      await link(tab).click();
      await page().getByRole('region', { name: shown }).waitFor();
      await expect.poll(() => page().locator('.connection').textContent()).toBe('Live');
    }
    page().off('request', note);
    const [core, kubevirt, snapshots] = ['/api/v1', '/apis/kubevirt.io/v1', '/apis/snapshot.kubevirt.io/v1beta1'].map(
      (root) => `${root}/namespaces/default`,
    );
    expect(lists.sort()).toEqual([
      '/api/v1/namespaces',
      `${core}/events involvedObject.name=data`,
      `${core}/events involvedObject.name=shop`,
      `${core}/persistentvolumeclaims`,
      `${kubevirt}/virtualmachineinstancemigrations`,
      `${kubevirt}/virtualmachineinstances metadata.name=shop`,
      `${kubevirt}/virtualmachines metadata.name=shop`,
      `${snapshots}/virtualmachinerestores`,
      `${snapshots}/virtualmachinesnapshots`,
    ]);
  });
});

describe('the object graph', { timeout: CASE_MS }, () => {
  it('marks what is missing', async () => {
    await visit('/machines/default/shop/graph');
    await node(page(), 'ConfigMap', 'settings').waitFor();
    expect(await node(page(), 'ConfigMap', 'settings').getAttribute('class')).toContain('node-missing');
    expect(await node(page(), 'Secret', 'keys').getAttribute('class')).toContain('node-present');
    await node(page(), 'ConfigMap', 'settings').click();
    await page().getByRole('complementary', { name: 'ConfigMap settings' }).waitFor();
    await shoot(page(), 'graph');
    await button('Close details').click();
  });

  it('is exported as manifests', async () => {
    await button('Export manifests…').click();
    const [file] = await Promise.all([page().waitForEvent('download'), button('Export shop').click()]);
    expect(file.suggestedFilename()).toBe('shop.yaml');
    await button('Tree').click();
    await see('missing');
    await look(page(), 'graph-tree');
  });

  it('marks what is not visible to the user, and does not call it missing', async () => {
    await select(reader, 'default');
    await reader.getByRole('link', { name: 'shop', exact: true }).click();
    await reader.getByRole('link', { name: 'Depends on' }).click();
    await node(reader, 'Secret', 'keys').waitFor();
    expect(await node(reader, 'Secret', 'keys').getAttribute('class')).toContain('node-forbidden');
    expect(await node(reader, 'ConfigMap', 'settings').getAttribute('class')).toContain('node-missing');
    await look(reader, 'graph-view');
  });
});

/** Chooses a namespace in the bar, if another one is shown. */
async function select(on: Page, namespace: string): Promise<void> {
  const picker = on.locator('.bar').getByRole('combobox').or(on.locator('.bar').getByRole('textbox')).first();
  if ((await picker.count()) > 0 && (await picker.inputValue()) !== namespace) {
    if ((await picker.evaluate((element) => element.nodeName)) === 'SELECT') await picker.selectOption(namespace);
    else {
      await picker.fill(namespace);
      await picker.press('Enter');
    }
  }
}

describe('a user with the role view', { timeout: CASE_MS }, () => {
  it('finds no action that works, each with its reason', async () => {
    await reader.getByRole('link', { name: 'Overview' }).click();
    const actions = reader.getByRole('group', { name: 'Actions' }).getByRole('button');
    await expect.poll(() => actions.first().getAttribute('title')).toContain('You are not allowed to');
    for (const action of await actions.all()) {
      expect(await action.getAttribute('aria-disabled')).toBe('true');
      expect(await action.getAttribute('title')).toMatch(/^(You are not allowed to|It is)/);
    }
    await look(reader, 'view');
  });

  it.each([
    ['disks', 'Plug in a disk…'],
    ['snapshots', 'Take a snapshot…'],
    ['network', 'Plug in a card…'],
  ])('cannot change %s', async (tab, name) => {
    await reader.getByRole('link', { name: tab, exact: false }).first().click();
    const offered = reader.getByRole('button', { name: new RegExp(`^${name}`) });
    await expect.poll(() => offered.getAttribute('title')).toContain('You are not allowed to');
    await offered.click({ force: true });
    expect(await reader.getByRole('dialog').count()).toBe(0);
  });

  it('reads YAML, and cannot change it', async () => {
    await reader.getByRole('link', { name: 'YAML' }).click();
    await reader.getByText('Read-only. You are not allowed to update').waitFor();
    expect(await reader.getByRole('button', { name: 'Review' }).count()).toBe(0);
  });

  it.each(['Images and volumes', 'Replica sets and pools', 'Nodes', 'Access', 'Settings'])(
    'is told what cannot be read or done at %s',
    async (place) => {
      await reader.getByRole('link', { name: place, exact: true }).click();
      await reader.getByRole('heading', { level: 1, name: place }).waitFor();
      const enabled = reader.locator(
        'main button.danger:not([aria-disabled="true"]), main button.primary:not([aria-disabled="true"])',
      );
      await expect.poll(() => enabled.count()).toBe(0);
      // What is refused is not tried again and again, as what is cut is.
      await expect.poll(() => reader.locator('.connection').textContent()).toBe('Live');
    },
  );

  it('sees why nodes are not shown', async () => {
    await reader.getByRole('link', { name: 'Nodes', exact: true }).click();
    await reader.getByText('ask an administrator').first().waitFor();
    await shoot(reader, 'nodes-view');
  });
});

it('has lost no connection, not by a refusal either', () =>
  expect(cuts.filter((cut) => !EXPECTED_CUT.test(cut))).toEqual([]));

// A refusal would be an error on the console: the page asks before it reads what the reader may not. Settings of KubeVirt
// everybody may list, but not watch.
it('has reported no error, no refusal and no breach of its policy', () =>
  expectNoProblems(browser(), /kubevirts\?watch=1/));
