import { beforeAll, describe, expect, it } from 'vitest';
import { instance, vm } from '../vms/manifests.ts';
import { look, shoot, shootNarrow } from './screenshots.ts';
import { CASE_MS, expectNoProblems, useTour } from './tour.ts';

/** Many machines at once: small guests, which need hardly a second to start. */
const { vms, browser, page, visit, button, link, field, dialog, row, see } = useTour();

const set = (name: string, replicas: number): string =>
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { generateName: `${name}-`, labels: { app: name } },
        spec: JSON.parse(instance(name)).spec,
      },
    },
  });

const pool = (name: string, replicas: number): string => {
  const { spec } = JSON.parse(vm(name));
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: 'pool.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePool',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      maxUnavailable: 1,
      scaleInStrategy: { proactive: { selectionPolicy: { sortPolicy: 'DescendingOrder' } } },
      virtualMachineTemplate: { metadata: { labels }, spec },
    },
  });
};

beforeAll(async () => {
  await vms.create(
    ...['web-1', 'web-2', 'web-3', 'db'].map((name) => vm(name)),
    vm('mail', { runStrategy: 'Halted' }),
    vm('build', { image: 'test/nowhere' }),
    instance('once'),
    set('workers', 2),
  );
  await vms.untilStatus(['web-1', 'web-2', 'web-3', 'db'], 'Running');
  await vms.vireo('pause vm db');
}, 2 * CASE_MS);
describe('the list of machines', { timeout: CASE_MS }, () => {
  it('shows what each is doing', async () => {
    await row('db').getByText('Paused').waitFor();
    await row('web-1').getByText('Running').waitFor();
    await row('mail').getByText('Stopped').waitFor();
    await row('once').getByText('instance', { exact: true }).waitFor();
    await row('build').getByText(/image/i).waitFor();
    // Figures come every quarter of a minute; a line needs two of them.
    await row('web-1').locator('.spark path[d*="L"]').waitFor({ state: 'attached' });
    await shoot(page(), 'machines');
    await shootNarrow(page(), 'machines');
  });

  it('has a menu in each row, with what can be done and why the rest cannot', async () => {
    await button('Actions of mail').click();
    const menu = page().getByRole('menu', { name: 'Actions of mail' });
    expect(await menu.getByRole('menuitem', { name: /^Stop/ }).textContent()).toContain('It is stopped already.');
    expect(await menu.getByRole('menuitem', { name: /^Console/ }).textContent()).toContain('It is not running.');
    await shoot(page(), 'row-menu');
    await page().keyboard.press('Escape');
    await expect.poll(() => menu.count()).toBe(0);
    expect(await page().evaluate("document.activeElement?.getAttribute('aria-label')")).toBe('Actions of mail');
    await button('Actions of web-1').click();
    await page().getByRole('menuitem', { name: 'Console' }).click();
    await page().waitForURL(/\/machines\/default\/web-1\/console$/);
    await visit('/');
  });

  it('says why a button cannot be used when it is tapped', async () => {
    await page().getByLabel('Select mail', { exact: true }).check();
    await button(/^Stop/).click({ force: true });
    await page().locator('.notice', { hasText: 'It is stopped already.' }).waitFor();
    expect(await page().getByRole('dialog').count()).toBe(0);
    await page().getByLabel('Select mail', { exact: true }).uncheck();
  });

  it('opens the consoles of several', async () => {
    for (const name of ['web-1', 'web-2', 'mail']) await page().getByLabel(`Select ${name}`, { exact: true }).check();
    await page()
      .getByRole('group', { name: 'Actions' })
      .getByRole('button', { name: /^Console/ })
      .click();
    await page().waitForURL(/\/consoles\?open=serial\/default\/web-1,serial\/default\/web-2&shown=/);
    await expect
      .poll(() =>
        page()
          .locator('.console-status', { hasText: /Connected|Press Enter/ })
          .count(),
      )
      .toBe(2);
    await visit('/');
  });

  it('is searched, and only what is found is acted on', async () => {
    await field('Select all machines that are shown').check();
    await page().getByRole('searchbox').fill('web-');
    await see('3 selected');
    await button('Stop').click();
    await look(page(), 'bulk');
    await dialog().getByText('default/web-2').waitFor();
    expect(await dialog().textContent()).not.toContain('default/db');
    await dialog().getByRole('button', { name: 'Stop 3 machines' }).click();
    await vms.untilStatus(['web-1', 'web-2', 'web-3'], 'Stopped');
    await expect.poll(() => page().getByText('3 selected').count()).toBe(0);
    expect(await vms.kubectl('get vm db -o jsonpath={.status.printableStatus}')).toBe('Paused');
  });

  it('keeps a record of what was asked for', async () => {
    await button(/^Tasks/).click();
    await see(/Stop/);
    await shoot(page(), 'tasks');
    await page().keyboard.press('Escape');
  });

  it('is left by keyboard, with a palette of commands', async () => {
    await page().keyboard.press('Control+k');
    await page().keyboard.type('start mail');
    await dialog().getByRole('option', { name: /mail/ }).first().waitFor();
    await shoot(page(), 'palette');
    await page().keyboard.press('Escape');
    await page().keyboard.press('?');
    await dialog().getByText('Keyboard').first().waitFor();
    await look(page(), 'keys');
    await page().keyboard.press('Escape');
  });
});

describe('a machine in trouble', { timeout: CASE_MS }, () => {
  it('says why', async () => {
    await visit('/machines/default/build');
    await page().locator('.why', { hasText: 'failed to pull image' }).waitFor();
    await shoot(page(), 'trouble');
  });
});

describe('a replica set', { timeout: CASE_MS }, () => {
  it('is scaled by its control', async () => {
    await link('Replica sets and pools').click();
    await row('workers').getByText('2 of 2').waitFor();
    await shoot(page(), 'sets');
    await link('workers').click();
    await button('One more').click();
    await button('One more').click();
    await button('Apply').click();
    await see('4 of 4');
    expect(await vms.kubectl('get vmirs workers -o jsonpath={.status.readyReplicas}')).toBe('4');
    await shoot(page(), 'set', { height: 900 });
  });

  it('tells that somebody else has scaled it meanwhile', async () => {
    await field('Replicas wanted').fill('6');
    // The page hears of it, but the number that was typed stays.
    await vms.kubectl.do('scale vmirs workers --replicas=3');
    await see('3 of 3');
    expect(await field('Replicas wanted').inputValue()).toBe('6');
    await field('Replicas wanted').fill('1');
    await button('Apply').click();
    await see('1 of 1');
  });

  it('that cannot make machines says why', async () => {
    await vms.kubectl.do('create quota few --hard=count/virtualmachineinstances.kubevirt.io=4');
    await field('Replicas wanted').fill('9');
    await button('Apply').click();
    await page().getByRole('alert').filter({ hasText: 'exceeded quota' }).waitFor();
    await look(page(), 'set-trouble');
    await vms.kubectl.do('delete quota few');
    await button('Delete').click();
    await look(page(), 'set-delete');
    await dialog().getByLabel(/type/).fill('workers');
    await button('Delete workers').click();
    await see('No replica sets or pools');
    for (const title of ['replica set', 'pool']) {
      await page().getByText(`A ${title}`, { exact: true }).click();
      const input = await page()
        .getByRole('region', { name: `Manifest of a ${title}` })
        .textContent();
      await vms.kubectl.do('apply --dry-run=server -f -', { input: input ?? '' });
      await button(`Copy the manifest of a ${title}`).waitFor();
    }
    await page().getByText('A pool', { exact: true }).click();
    await shoot(page(), 'sets-empty');
    await expect.poll(() => vms.kubectl('get vmi -l app=workers -o name'), { timeout: 60_000 }).toBe('');
  });
});

describe('a pool', { timeout: CASE_MS }, () => {
  it('is listed with the sets, and says how it treats its VMs', async () => {
    await vms.create(pool('desktops', 2));
    await visit('/sets');
    await row('desktops').getByText('2 of 2').waitFor();
    expect(await row('desktops').textContent()).toContain('pool');
    await link('desktops').click();
    await see('Scaled in, it deletes the highest number first.');
    await see('at most 1 at a time');
    await see('desktops-1 would go: it has the highest number.');
  });

  it('is scaled by its control, and says which VM goes and why', async () => {
    await button('One more').click();
    await button('Apply').click();
    await see('3 of 3');
    await shoot(page(), 'pool', { height: 900 });
    await see('desktops-2 would go');
    await button('One less').click();
    await button('Apply').click();
    await see('2 of 2');
    await expect.poll(() => vms.kubectl('get vm -l app=desktops -o name')).not.toContain('desktops-2');
    expect(await vms.kubectl('get vmpool desktops -o jsonpath={.spec.replicas}')).toBe('2');
  });

  it('names the VMs that were taken out of it', async () => {
    await vms.kubectl.do('label vm desktops-0 app=broken --overwrite');
    const detached = page().getByRole('region', { name: 'Taken out of the pool' });
    await detached.getByRole('link', { name: 'desktops-0' }).waitFor();
    // Another VM takes the place.
    await see('2 of 2');
    await look(page(), 'pool-detached', { height: 900 });
  });

  it('is deleted with its VMs, and the one that has left it stays', async () => {
    await button('Delete').click();
    await dialog().getByLabel(/type/).fill('desktops');
    await button('Delete desktops').click();
    await see('No replica sets or pools');
    await expect.poll(() => vms.kubectl('get vm -l app=desktops -o name'), { timeout: 60_000 }).toBe('');
    expect(await vms.kubectl('get vm -l app=broken -o name')).toContain('desktops-0');
  });
});

it('has reported no error and no breach of its policy', () => expectNoProblems(browser()));
