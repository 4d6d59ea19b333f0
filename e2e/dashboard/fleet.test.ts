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
    await look(page(), 'tasks');
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
    await look(page(), 'trouble');
  });
});

describe('a replica set', { timeout: CASE_MS }, () => {
  it('is scaled by its control', async () => {
    await link('Replica sets').click();
    await row('workers').getByText('2 of 2').waitFor();
    await look(page(), 'sets');
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
    await see('No replica sets');
    await look(page(), 'sets-empty');
    await expect.poll(() => vms.kubectl('get vmi -l app=workers -o name'), { timeout: 60_000 }).toBe('');
  });
});

it('has reported no error and no breach of its policy', () => expectNoProblems(browser()));
