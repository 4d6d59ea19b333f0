import { beforeAll, describe, expect, it } from 'vitest';
import { vm } from '../vms/manifests.ts';
import { seriousProblemsInBoth } from './axe.ts';
import { look, shoot } from './screenshots.ts';
import { CASE_MS, expectNoProblems, useTour } from './tour.ts';

/** What concerns the whole cluster, with simulated nodes beside the host's own. */
const { vms, browser, page, visit, button, link, field, dialog, row, badge, see } = useTour('--simulate-nodes', '3');

const STUB = {
  spec: {
    configuration: {
      developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
      hypervisorConfiguration: { name: 'stub' },
    },
  },
};
const NAMES = Array.from({ length: 6 }, (_, index) => `vm-${index + 1}`);

beforeAll(async () => {
  await vms.kubectl.do(`patch kubevirt kubevirt -n kubevirt --type merge -p '${JSON.stringify(STUB)}'`);
  await vms.create(...NAMES.map((name) => vm(name, { memory: '2Gi', spec: { evictionStrategy: 'LiveMigrate' } })));
  await vms.untilStatus(NAMES, 'Running');
}, 2 * CASE_MS);
const nodeOf = (name: string): Promise<string> => vms.kubectl(`get vmi ${name} -o jsonpath={.status.nodeName}`);

describe('nodes', { timeout: CASE_MS }, () => {
  it('show what they have given out', async () => {
    await link('Nodes').click();
    await row('simulated-0').getByText('Ready').waitFor();
    await row('node-1').waitFor();
    await shoot(page(), 'nodes');
  });

  it('are cordoned', async () => {
    await link('simulated-1').click();
    await button('Cordon').click();
    await badge().waitFor();
    await see('No new machines start here.');
    expect(await vms.kubectl('get node simulated-1 -o jsonpath={.spec.unschedulable}')).toBe('true');
    await button('Uncordon').click();
    await see('New machines may start here.');
  });

  it('are emptied for maintenance, and their machines move', async () => {
    const node = await nodeOf('vm-1');
    await visit(`/nodes/${node}`);
    await button('Enter maintenance').click();
    await look(page(), 'maintenance');
    await dialog().getByRole('button', { name: 'Enter maintenance' }).click();
    await button('Leave maintenance').waitFor();
    await expect.poll(() => nodeOf('vm-1'), { timeout: 60_000 }).not.toBe(node);
    await shoot(page(), 'node', { height: 1000 });
    await button('Leave maintenance').click();
    await button('Enter maintenance').waitFor();
  });
});

describe('maintenance', { timeout: CASE_MS }, () => {
  const NODE = 'simulated-2';
  const here = { nodeSelector: { 'kubernetes.io/hostname': NODE } };
  const enter = () => dialog().getByRole('button', { name: 'Enter maintenance' });

  it('is not offered where the server says that it is impossible', async () => {
    const LABEL = 'node-role.kubernetes.io/control-plane';
    await vms.kubectl.do(`label node ${NODE} ${LABEL}=`);
    await visit(`/nodes/${NODE}`);
    await button(/^Enter maintenance.*: It is the only control-plane node\./).waitFor();
    await vms.kubectl.do(`label node ${NODE} ${LABEL}-`);
  });

  it('says in plain words what is in the way', async () => {
    const passthrough = JSON.parse(vm('passthrough', { spec: here }));
    passthrough.spec.template.spec.domain.features = { hypervPassthrough: { enabled: true } };
    await vms.create(vm('pinned', { spec: here }), JSON.stringify(passthrough));
    await vms.untilStatus(['pinned', 'passthrough'], 'Running');
    await visit(`/nodes/${NODE}`);
    await button('Enter maintenance').click();
    await dialog().getByText('default/passthrough: VMI uses hyperv passthrough').waitFor();
    await dialog().getByText('default/passthrough, default/pinned: No other node can run it.').waitFor();
    expect(await seriousProblemsInBoth(page())).toEqual([]);
    await look(page(), 'maintenance-obstacles');
  });

  it('is refused while they may not be shut down', async () => {
    await enter().click();
    await page().locator('.notice-error', { hasText: 'cannot move to another node' }).waitFor();
    await button('Enter maintenance').waitFor();
    expect(await vms.kubectl(`get node ${NODE} -o jsonpath={.spec.unschedulable}`)).toBe('');
  });

  it('is forced, which shuts them down, and left again', async () => {
    await button('Enter maintenance').click();
    await dialog()
      .getByLabel(/Shut down machines/)
      .check();
    await enter().click();
    await button('Leave maintenance').waitFor();
    await vms.untilStatus(['pinned', 'passthrough'], 'Stopped');
    await badge().getByText('Ready').waitFor();
    await page()
      .locator('.page-head .badge', { hasText: /^Maintenance$/ })
      .waitFor();
    await see('No machine runs here.');
    await button('Leave maintenance').click();
    await button('Enter maintenance').waitFor();
    await see('New machines may start here.');
    expect(await vms.kubectl(`get node ${NODE} -o jsonpath={.spec.unschedulable}`)).toBe('');
    expect(await vms.kubectl('get vm pinned -o jsonpath={.spec.runStrategy}')).toBe('Halted');
    await vms.kubectl.do('delete vm pinned passthrough');
  });
});

describe('a live migration', { timeout: CASE_MS }, () => {
  const bar = () => page().getByRole('progressbar', { name: /^Migration of vm-2 to simulated-/ });

  it('shows where the guest goes, without figures while there are none', async () => {
    // Two GiB at this speed are half an hour.
    const slow = { spec: { configuration: { migrations: { bandwidthPerMigration: '1Mi' } } } };
    await vms.kubectl.do(`patch kubevirt kubevirt -n kubevirt --type merge -p '${JSON.stringify(slow)}'`);
    const from = await nodeOf('vm-2');
    const to = ['simulated-0', 'simulated-1', 'simulated-2'].find((name) => name !== from) ?? '';
    await visit('/machines/default/vm-2');
    await button('Migrate').click();
    await field('Move it to').selectOption(to);
    await dialog().getByRole('button', { name: 'Migrate vm-2' }).click();
    await badge().getByText('Migrating', { exact: true }).waitFor();
    await see(`Migrating to ${to}`);
    await see(`From ${from}: copying memory and disks`);
    expect(await bar().count()).toBe(0);
  });

  it('shows how far it is as soon as a node says so', async () => {
    // As the agent of a real node writes it; simulated ones write nothing.
    const progress = JSON.stringify({ percent: 43, totalBytes: 2 ** 31, remainingBytes: 1.125 * 2 ** 30 });
    await vms.kubectl.do(`annotate vmi vm-2 'vireo.io/migration-progress=${progress}'`);
    await bar().waitFor();
    expect(await bar().getAttribute('value')).toBe('43');
    await see('1.1 GiB left');
    await badge().getByText('Migrating · 43 %').waitFor();
    expect(await seriousProblemsInBoth(page())).toEqual([]);
    await shoot(page(), 'migration');
    await visit('/');
    const state = row('vm-2').locator('.badge');
    await state.getByText('Migrating · 43 %').waitFor();
    expect(await state.getAttribute('title')).toMatch(/^Migrating to simulated-\d · 43 %$/);
    await look(page(), 'machines-migrating');
  });

  it('is cancelled, and the guest stays', async () => {
    const node = await nodeOf('vm-2');
    await visit('/machines/default/vm-2');
    await button('Cancel migration').click();
    await dialog().getByRole('button', { name: 'Cancel migration' }).click();
    await badge().getByText('Running', { exact: true }).waitFor();
    expect(await bar().count()).toBe(0);
    expect(await nodeOf('vm-2')).toBe(node);
    const fast = { spec: { configuration: { migrations: { bandwidthPerMigration: null } } } };
    await vms.kubectl.do(`patch kubevirt kubevirt -n kubevirt --type merge -p '${JSON.stringify(fast)}'`);
  });
});

describe('access', { timeout: CASE_MS }, () => {
  it('shows what one may do', async () => {
    await link('Access').click();
    await see('with the machines of this namespace');
    await shoot(page(), 'access');
  });

  it('is given and taken away', async () => {
    await button('Who may do what').click();
    await page().getByRole('form', { name: 'Give a role' }).getByLabel('Name').fill('jane');
    await field('Role').selectOption('kubevirt.io:edit');
    await button(/^Give role/).click();
    await see('jane has the role kubevirt.io:edit in default.');
    await row('jane').getByText('✓ yes').first().waitFor();
    // Long names of roles are broken at their colons, so that nothing is out of sight.
    const { width = 0 } = (await page().locator('.list-scroll').boundingBox()) ?? {};
    expect((await page().locator('.list-scroll table').boundingBox())?.width).toBeLessThanOrEqual(width);
    await shoot(page(), 'access-others', { height: 930 });
    expect(await vms.kubectl('auth can-i update virtualmachines/start.subresources.kubevirt.io --as jane')).toBe('yes');
    await row('jane')
      .getByRole('button', { name: /Take away/ })
      .click();
    await dialog().getByRole('button', { name: 'Take the role away' }).click();
    await expect.poll(() => row('jane').count()).toBe(0);
    expect(await vms.kubectl('auth can-i delete virtualmachines.kubevirt.io --as jane')).toContain('no');
  });
});

describe('settings', { timeout: CASE_MS }, () => {
  it('of the page count at once', async () => {
    await link('Settings').click();
    await field('Theme').selectOption('dark');
    await expect.poll(() => page().evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await field('Theme').selectOption('system');
    await shoot(page(), 'settings');
  });

  it('of KubeVirt are checked by the server and saved', async () => {
    await link('KubeVirt').click();
    const bandwidth = page().getByLabel('Bandwidth of each');
    await bandwidth.fill('fast');
    await button(/^Check and save/).click();
    await page().locator('.field-error', { hasText: /\S/ }).first().waitFor();
    await shoot(page(), 'settings-kubevirt', { height: 1240 });
    await bandwidth.fill('64Mi');
    await button(/^Check and save/).click();
    await see('The setting is saved.');
    const stored =
      'get kubevirt kubevirt -n kubevirt -o jsonpath={.spec.configuration.migrations.bandwidthPerMigration}';
    expect(await vms.kubectl(stored)).toBe('64Mi');
  });

  it('of feature gates are asked about first', async () => {
    await link('Feature gates').click();
    await shoot(page(), 'settings-gates');
    await page().getByLabel('Setting of HostDisk').selectOption('enabled');
    await dialog().getByRole('button', { name: 'Set to enabled' }).click();
    await see('HostDisk is enabled.');
    expect(
      await vms.kubectl(
        'get kubevirt kubevirt -n kubevirt -o jsonpath={.spec.configuration.developerConfiguration.featureGates}',
      ),
    ).toContain('HostDisk');
  });
});

// The server was asked for what it refuses: whether a node can enter maintenance, and whether it takes a setting.
it('has reported no error and no breach of its policy', () => expectNoProblems(browser(), /status of (409|422)/));
