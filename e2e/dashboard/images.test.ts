import { randomBytes } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, shoot, shootNarrow } from './screenshots.ts';
import { CASE_MS, expectNoProblems, useTour } from './tour.ts';

const { vms, browser, page, visit, button, link, field, dialog, row, badge, see } = useTour();

const MIB = 1 << 20;
const DISK = randomBytes(4 * MIB);
const PIECE_BYTES = DISK.length / 64;
/** Large enough to be held on its way twice; most of it is never sent. */
const LARGE_BYTES = 8192 * MIB;

let web: Server;
/** Sends the rest; before, half of the disk comes bit by bit. */
let finish = (): void => {};
beforeAll(async () => {
  web = createServer(({ url }, response) => {
    if (url !== '/debian.img') return response.writeHead(404).end();
    response.writeHead(200, { 'content-length': DISK.length });
    let sent = 0;
    const drip = setInterval(() => {
      if (sent >= DISK.length / 2) return;
      response.write(DISK.subarray(sent, sent + PIECE_BYTES));
      sent += PIECE_BYTES;
    }, 100);
    finish = () => {
      clearInterval(drip);
      response.end(DISK.subarray(sent));
    };
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  web.closeAllConnections();
  web.close();
});

const address = (path: string): string => `http://127.0.0.1:${(web.address() as AddressInfo).port}${path}`;
const names = (kind: string): Promise<string> => vms.kubectl(`get ${kind} -o name`);

async function choose(name: string, content: Buffer | number): Promise<void> {
  const file = join(vms.home(), name);
  if (Buffer.isBuffer(content)) await writeFile(file, content);
  else {
    const handle = await open(file, 'w');
    await handle.truncate(content);
    await handle.close();
  }
  await button('Upload…').click();
  await page().getByLabel('Files to upload').setInputFiles(file);
  await dialog().getByText(name).first().waitFor();
}
const upload = (): Promise<void> => dialog().getByRole('button', { name: 'Upload', exact: true }).click();

describe('images and volumes', { timeout: CASE_MS }, () => {
  it('say what to do while there are none', async () => {
    await link('Images and volumes').click();
    await see('No images or volumes');
    await look(page(), 'images-empty');
  });

  it('are uploaded with progress, paused, watched from elsewhere, and cancelled', async () => {
    await choose('large.img', LARGE_BYTES);
    await upload();
    await button(/^Pause/).click();
    await see(/Paused for .*Keep this page open/);
    expect(await page().getByRole('progressbar', { name: 'Upload of large.img' }).getAttribute('value')).toMatch(
      /^\d+$/,
    );
    await look(page(), 'upload');
    await link('Machines').click();
    await page().getByRole('link', { name: '1 upload, paused' }).click();
    await button(/^Resume/).click();
    await button(/^Pause/).click();
    await button(/^Cancel/).click();
    await button('Cancel upload and delete volume').click();
    await see(/was cancelled, and volume large deleted/);
    await expect.poll(() => names('dv,pvc')).not.toContain('large');
  });

  it('that are no disks are refused before they are sent', async () => {
    await choose('windows.vmdk', Buffer.from('KDMV…'));
    await dialog().getByText('The server does not take VMDK disks').waitFor();
    expect(await dialog().getByRole('button', { name: 'Upload', exact: true }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await look(page(), 'upload-dialog');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('are uploaded whole, and offered to new machines', async () => {
    await choose('debian-13.raw', DISK);
    await dialog()
      .getByLabel(/Offer it as an image/)
      .check();
    await upload();
    await see(/Uploaded, 4 MiB/);
    await row('debian-13').first().waitFor();
    expect(await names('dv,datasource')).toMatch(/^datavolume\S*\/debian-13\n+datasource\S*\/debian-13$/);
    await button(/^Dismiss/).click();
  });

  it('are imported from an address, with progress and with the reason of a failure', async () => {
    await button('Import…').click();
    await field('Address').fill(address('/debian.img'));
    await field('Name').fill('imported');
    await dialog().getByRole('button', { name: 'Import', exact: true }).click();
    await row('imported')
      .getByText(/Importing|Downloading/)
      .waitFor();
    await expect.poll(() => row('imported').textContent()).toMatch(/[1-9]\d? %/);
    finish();
    await row('imported').getByText('Ready').waitFor();
    await button('Import…').click();
    await field('Address').fill(address('/nowhere.img'));
    await field('Name').fill('broken');
    await dialog().getByRole('button', { name: 'Import', exact: true }).click();
    await row('broken').getByText('Import fails').waitFor();
    await row('broken').getByText(/404/).waitFor();
    await shoot(page(), 'images');
    await shootNarrow(page(), 'images');
  });

  it('are exported, and downloaded as they are', async () => {
    await row('imported').getByRole('link').click();
    await badge().getByText('Ready').waitFor();
    await shoot(page(), 'volume');
    await button('Export…').click();
    await look(page(), 'export-dialog');
    await dialog().getByRole('button', { name: 'Create export' }).click();
    const download = page().getByRole('link', { name: /^Download imported, raw/ });
    await download.waitFor();
    await shoot(page(), 'exports');
    const [file] = await Promise.all([page().waitForEvent('download'), download.click()]);
    expect((await readFile(await file.path())).subarray(0, DISK.length).equals(DISK)).toBe(true);
  });

  it('have their use told', async () => {
    await visit('/images/usage');
    await see('Room on nodes');
    await shoot(page(), 'usage');
  });

  it('are deleted after their name was typed', async () => {
    await visit('/images');
    await row('broken')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await dialog()
      .getByRole('button', { name: /^Delete/ })
      .waitFor();
    const typed = dialog().getByLabel(/type/);
    if ((await typed.count()) > 0) await typed.fill('broken');
    await dialog()
      .getByRole('button', { name: /^Delete/ })
      .click();
    await expect.poll(() => names('dv')).not.toContain('broken');
  });
});

// After a cancel, the page asks until the volume is gone.
it('has reported no error and no breach of its policy', () => expectNoProblems(browser(), /status of 404/));
