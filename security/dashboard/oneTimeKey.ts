import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { lineWith, spawnVireo } from '../../e2e/vireo.ts';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import type { AttackSite } from './attackPage.ts';
import { watch } from './eyes.ts';

const GUESSES = 200;
const LATE_MS = 61_000;

/** The key in the address of a real `vireo dashboard`: who gets it, and for what it is good. */
export async function oneTimeKey(ground: Ground, browser: Browser, site: AttackSite, trial: Trial): Promise<void> {
  await opened(ground, browser, site, trial);
  if (!trial.isShort) await late(ground, trial);
}

async function opened(ground: Ground, browser: Browser, site: AttackSite, trial: Trial): Promise<void> {
  const dashboard = await start(ground);
  const user = await watch(browser);
  try {
    const { address, code, origin } = dashboard;
    trial.check(/^[\w-]{43}$/.test(code) ? undefined : `the key is not 256 random bits: ${code}`);
    trial.check((await mentions(code)) ? 'a command line has the key' : undefined);
    for (let turn = 0; turn < GUESSES; turn++) {
      const status = await exchange(origin, randomBytes(32).toString('base64url'));
      if (status !== 403) trial.check(`a guess was answered with ${status}`);
    }
    trial.check(undefined);
    const sent: string[] = [];
    user.page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await user.page.goto(address);
    await user.page.locator('.bar-user').waitFor();
    trial.check(user.page.url().includes(code) ? 'the key stays in the address' : undefined);
    trial.check(sent.some((each) => each.includes(code)) ? 'the key is sent in an address or a header' : undefined);
    const stored = String(
      await user.page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
      ),
    );
    trial.check(stored.includes(code) ? 'the key is stored' : undefined);
    trial.check(/vireo-dashboard/.test(stored) ? 'scripts can read the cookie' : undefined);
    site.visits.length = 0;
    await user.page.evaluate(`location.assign('http://127.0.0.1:${site.port}/')`);
    await user.page.waitForURL(`http://127.0.0.1:${site.port}/`);
    const referers = site.visits
      .map(({ referer }) => referer)
      .filter((referer) => referer !== undefined && !referer.startsWith(`http://127.0.0.1:${site.port}/`));
    trial.check(referers.length === 0 ? undefined : `another site is told where the user was: ${referers.join(', ')}`);
    trial.check((await exchange(origin, code)) === 403 ? undefined : 'the key can be used twice');
    const printed = dashboard.output().split(code).length - 1;
    trial.check(printed === 1 ? undefined : `the key is printed ${printed} times`);
    trial.check(ground.output().includes(code) ? 'the log of the server has the key' : undefined);
  } finally {
    await user.close();
    await dashboard.stop();
  }
}

async function late(ground: Ground, trial: Trial): Promise<void> {
  const { code, origin, stop } = await start(ground);
  try {
    trial.progress('waiting until a key is too old');
    await pause(LATE_MS);
    trial.check((await exchange(origin, code)) === 403 ? undefined : 'a key can be used after a minute');
  } finally {
    await stop();
  }
}

async function start({ home }: Ground) {
  const kubeconfig = `${home}/kubeconfig`;
  const { child, output, ended } = spawnVireo(['dashboard', '--no-open', '--kubeconfig', kubeconfig]);
  const ready = await Promise.race([lineWith(child, output, /http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=\S+/), ended]);
  if (!Array.isArray(ready)) throw new Error(`vireo dashboard ended with code ${ready.code}:\n${ready.output}`);
  const address = new URL(ready[0]);
  return {
    address: address.href,
    origin: address.origin,
    code: new URLSearchParams(address.hash.slice(1)).get('code') ?? '',
    output,
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function exchange(origin: string, code: string): Promise<number> {
  const headers = { origin, 'x-vireo-dashboard': '1', 'content-type': 'application/json' };
  const response = await fetch(`${origin}/dashboard/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whether a process of this host shows a text to every user. */
async function mentions(text: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.some((line) => line.includes(text));
}
