import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runVireo } from '../vireo.ts';
import { disc } from '../vms/discs.ts';
import { differentColours } from './pixels.ts';
import { look, shoot, shootNarrow } from './screenshots.ts';
import { expectNoProblems, GUEST_MS, useTour } from './tour.ts';

/** One Linux guest, from the form that makes it to its clone. Each case goes on where the last one ended. */
const { vms, browser, page, visit, button, link, field, dialog, row, badge, see } = useTour();

const terminal = (): Promise<string | null> => page().locator('.xterm-rows').textContent();

/** Runs a command in the guest by its agent, beside the page. */
const inGuest = async (...command: string[]): Promise<string> =>
  (await runVireo(['exec', 'web', '--kubeconfig', vms.server().kubeconfig, '--', 'sh', '-c', ...command])).output;

/** Until the agent answers, after a start. */
const untilAgent = (): Promise<void> =>
  vms.kubectl.do('wait vmi/web --for=condition=AgentConnected --timeout=180s').then(() => undefined);

describe('a machine', { timeout: 3 * GUEST_MS }, () => {
  it('is created by the form', async () => {
    await button('Create').or(link('Create')).first().waitFor();
    await page().keyboard.press('c');
    await field('Name').fill('web');
    await field('Memory').fill('256Mi');
    await button('Add a CD-ROM drive').click();
    await page().getByText('CD-ROM drive cdrom1').waitFor();
    await field('Labels').fill('app=web, tier=front');
    await see('The server would accept this.');
    await field('Name').focus();
    await shoot(page(), 'create', { height: 900 });
    await button(/^Create web/).click();
    await page().waitForURL(/\/machines\/default\/web$/);
    await badge().getByText('Running').waitFor({ timeout: GUEST_MS });
    expect(await vms.kubectl('get vm web -o jsonpath={.metadata.labels.tier}')).toBe('front');
  });

  it('is watched while it boots on the serial console, where one logs in', async () => {
    await link('Console').click();
    await see('Connected');
    await expect.poll(terminal, { timeout: GUEST_MS }).toMatch(/login:/);
    await page().locator('.xterm').click();
    await page().keyboard.type('vireo\n');
    await expect.poll(terminal, { timeout: GUEST_MS }).toMatch(/Password:/);
    await page().keyboard.type('vireo\n');
    await expect.poll(terminal, { timeout: GUEST_MS }).toMatch(/[$#]\s*$/);
    await page().keyboard.type('echo "I am $(whoami)"\n');
    await expect.poll(terminal, { timeout: GUEST_MS }).toContain('I am vireo');
    await shoot(page(), 'console');
  });

  it('shows its screen, and takes keys there', async () => {
    await link('Screen').click();
    await page().locator('.console-status', { hasText: 'Connected.' }).waitFor();
    const canvas = page().locator('.screen-fit canvas');
    await expect.poll(() => differentColours(canvas), { timeout: GUEST_MS }).toBeGreaterThan(1);
    const before = await canvas.screenshot();
    await button('Type text…').click();
    await page().getByLabel('Paste or write what to type').fill('who is there\n');
    await button('Type 13 characters').click();
    await see('Typed 13 of 13');
    await button('Close').click();
    await expect.poll(async () => (await canvas.screenshot()).equals(before), { timeout: GUEST_MS }).toBe(false);
    await shoot(page(), 'screen');
  });

  it('reads a disc that is uploaded, inserted and ejected again', async () => {
    const file = join(vms.home(), 'hello.iso');
    await writeFile(file, disc('hello from the browser'));
    await link('Images and volumes').click();
    await button('Upload…').click();
    await page().getByLabel('Files to upload').setInputFiles(file);
    await dialog().getByText('hello.iso').first().waitFor();
    await dialog().getByRole('button', { name: 'Upload', exact: true }).click();
    await see(/Uploaded, /);
    await visit('/machines/default/web/disks');
    await row('cdrom1')
      .getByRole('button', { name: /Insert disc/ })
      .click();
    await field('Disc').selectOption('dataVolume hello');
    await dialog().getByRole('button', { name: 'Insert the disc' }).click();
    await row('cdrom1').getByText('Disc inserted').waitFor();
    expect(await inGuest('sudo mount -r /dev/sr0 /mnt && cat /mnt/hello.txt; sudo umount /mnt')).toContain(
      'hello from the browser',
    );
    // No word is broken to make room for the bars of sizes.
    const source = row('cdrom1').locator('[data-label="Source"] small', { hasText: 'DataVolume' });
    expect((await source.boundingBox())?.height).toBeLessThan(24);
    await shoot(page(), 'disks');
    await row('cdrom1').getByRole('button', { name: /Eject/ }).click();
    await look(page(), 'eject');
    await dialog().getByRole('button', { name: 'Eject the disc' }).click();
    await row('cdrom1')
      .getByText(/^Empty/)
      .waitFor();
    expect(await inGuest('sudo mount -r /dev/sr0 /mnt || echo "no disc"')).toContain('no disc');
  });

  it('gets a disk while it runs, and loses it again', async () => {
    await button('Plug in a disk…').click();
    await dialog().getByLabel('A new, blank one').check();
    await dialog().getByLabel('Name of the DataVolume').fill('scratch');
    await dialog().getByLabel('Size').fill('64Mi');
    await look(page(), 'plug');
    await dialog().getByRole('button', { name: 'Plug in the disk' }).click();
    await row('scratch').getByText('Ready', { exact: true }).waitFor();
    expect(await inGuest('cat /sys/block/sd*/size')).toMatch(/^131072$/m);
    await row('scratch')
      .getByRole('button', { name: /Unplug/ })
      .click();
    await dialog().getByRole('button', { name: 'Unplug scratch' }).click();
    await expect.poll(() => row('scratch').count(), { timeout: 60_000 }).toBe(0);
    expect(await inGuest('cat /sys/block/sd*/size')).not.toMatch(/^131072$/m);
  });

  it('has charts, cards, events and a graph', async () => {
    await link('Metrics').click();
    const noise = inGuest(
      'for n in 1 2 3 4 5 6; do sudo dd if=/dev/urandom of=/root/noise bs=1M count=2; sync; sleep 3; done',
    );
    await expect.poll(() => page().locator('.charts canvas').count(), { timeout: 60_000 }).toBeGreaterThan(3);
    // The table for those who hear the page has the same values, one row for each measurement.
    await expect
      .poll(() => page().locator('.charts-page details table tbody tr').count(), { timeout: 120_000 })
      .toBeGreaterThan(6);
    await noise;
    await shoot(page(), 'metrics', { height: 1100 });
    await link('Network').click();
    await see('masquerade');
    await shoot(page(), 'network');
    await link('Events').click();
    await page().locator('.line').first().waitFor();
    await shoot(page(), 'events');
    await link('Overview').click();
    await see('Run strategy');
    await shoot(page(), 'machine', { height: 900 });
    await shootNarrow(page(), 'machine');
  });

  it('goes back to a snapshot', async () => {
    await inGuest('echo before | sudo tee /root/note; sync');
    await link('Snapshots').click();
    await button('Take a snapshot…').click();
    await dialog().getByLabel('Name', { exact: true }).fill('good');
    await dialog().getByRole('button', { name: 'Take the snapshot' }).click();
    await row('good').getByText('Ready', { exact: true }).waitFor();
    await row('good').getByText('File systems were frozen').waitFor();
    await inGuest('echo after | sudo tee /root/note; sync');
    await row('good')
      .getByRole('button', { name: /Restore/ })
      .click();
    await dialog()
      .getByLabel(/Stop the machine first/)
      .check();
    await dialog()
      .getByLabel(/To confirm, type/)
      .fill('web');
    await look(page(), 'restore');
    await dialog().getByRole('button', { name: 'Restore web' }).click();
    await page()
      .getByRole('region', { name: 'Restores and clones' })
      .getByText('Restored')
      .waitFor({ timeout: GUEST_MS });
    await badge().getByText('Stopped').waitFor();
    await button('Start').click();
    await badge().getByText('Running').waitFor({ timeout: GUEST_MS });
    await untilAgent();
    expect(await inGuest('sudo cat /root/note')).toContain('before');
  });

  it('is cloned', async () => {
    await button('Clone the machine…').click();
    await dialog().getByLabel('Name of the new machine').fill('web-2');
    await dialog().getByRole('button', { name: 'Make the clone' }).click();
    const jobs = page().getByRole('region', { name: 'Restores and clones' });
    await jobs.getByRole('listitem').filter({ hasText: 'web-2' }).getByText('Cloned').waitFor({ timeout: GUEST_MS });
    // The clone was made from a snapshot of its own.
    await expect.poll(() => page().getByText('tmp-snapshot').count(), { timeout: GUEST_MS }).toBe(0);
    await shoot(page(), 'snapshots');
    await jobs.getByRole('link', { name: 'web-2' }).click();
    await badge().getByText('Stopped').waitFor();
    await button('Delete').click();
    await see('Deleted with their data');
    await dialog()
      .getByLabel(/type web-2/)
      .fill('web-2');
    await look(page(), 'delete');
    await button('Delete web-2').click();
    await see('There is no machine web-2');
  });
});

describe('the page of consoles', { timeout: 3 * GUEST_MS }, () => {
  it('has several at once, side by side', async () => {
    await link('Consoles').click();
    await button('Serial of web').click();
    await button('Open console…').click();
    await dialog().getByRole('button', { name: 'Screen of web' }).click();
    await button('Done').click();
    await button('Split').click();
    await page().locator('.console-status', { hasText: 'Press Enter' }).waitFor();
    await page().locator('.xterm').click();
    await page().keyboard.press('Enter');
    await expect.poll(terminal, { timeout: GUEST_MS }).toContain('login:');
    const canvas = page().locator('.screen-fit canvas');
    await expect.poll(() => differentColours(canvas), { timeout: GUEST_MS }).toBeGreaterThan(1);
    await shoot(page(), 'consoles');
  });

  it('tells who has taken a console over, and takes it back', async () => {
    const other = await vms.console('web');
    await see(/taken over/i);
    await look(page(), 'console-taken');
    await button('Take back').click();
    await page().locator('.console-status', { hasText: 'Press Enter' }).waitFor();
    await other.close();
  });

  it('connects again when the guest restarts', async () => {
    const uid = await vms.uidOf('web');
    await vms.vireo('restart web');
    await vms.untilReplaced('web', uid);
    await expect.poll(terminal, { timeout: GUEST_MS }).toMatch(/login:\s*$/);
  });
});

it('has reported no error and no breach of its policy', () => expectNoProblems(browser()));
