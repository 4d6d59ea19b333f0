import { request } from 'node:http';
import tls from 'node:tls';
import type { Browser } from 'playwright-core';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { type Aim, type AttackSite, attack } from './attackPage.ts';
import { EVIL_HOST, type Watched, watch } from './eyes.ts';
import type { HostileCluster } from './hostileCluster.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const STREAM = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/console';
const planted = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { by: 'another site' } });

/** A page of another port of this host, which browsers count as the same site, and of another site: names are no addresses. */
const attackers = (site: AttackSite): readonly string[] => [
  `http://127.0.0.1:${site.port}/`,
  `http://localhost:${site.port}/`,
];

/** A user whose browser shows an administrator's certificate visits other pages. */
export async function onServer(ground: Ground, browser: Browser, site: AttackSite, trial: Trial): Promise<void> {
  const origin = `https://127.0.0.1:${ground.port}`;
  const { cert = '', key = '' } = ground.admin;
  const clientCertificates = [{ origin, cert: Buffer.from(cert), key: Buffer.from(key) }];
  const user = await watch(browser, { clientCertificates });
  try {
    await user.page.goto(`${origin}/dashboard/`);
    await user.page.getByRole('button', { name: /certificate/ }).waitFor();
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: planted('own') };
    const own = await user.page.evaluate(
      `fetch(${JSON.stringify(CONFIG_MAPS)}, ${JSON.stringify(post)}).then((response) => response.status)`,
    );
    trial.check(own === 201 ? undefined : `the attack proves nothing: the page itself cannot write either (${own})`);
    for (const attacker of attackers(site)) {
      const before = await refusals(ground);
      await user.page.goto(attacker);
      const aim: Aim = {
        origin,
        readPath: CONFIG_MAPS,
        writePath: CONFIG_MAPS,
        body: planted('stolen'),
        streams: [STREAM],
      };
      for (const problem of await attack(user.page, aim))
        trial.check(`${attacker} with the user's certificate: ${problem}`);
      const { status } = await ground.wire(ground.admin).send({ method: 'GET', path: `${CONFIG_MAPS}/stolen` });
      trial.check(status === 404 ? undefined : `${attacker} has written with the user's certificate`);
      const refused = (await refusals(ground)) - before;
      trial.check(refused > 5 ? undefined : `the attack proves nothing: only ${refused} requests were refused`);
    }
  } finally {
    await user.close();
  }
  trial.check(await nameProblem(ground));
}

/** How many requests the server has refused so far. */
async function refusals(ground: Ground): Promise<number> {
  const { body } = await ground.wire(ground.admin).send({ method: 'GET', path: '/metrics' });
  const counts = body.matchAll(/^apiserver_request_total\{[^}]*code="403"[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A name of others that leads to the server is stopped by TLS: its certificate is not for that name. */
function nameProblem({ port, ca }: Ground): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, servername: EVIL_HOST });
    socket.once('secureConnect', () => {
      socket.destroy();
      resolve(`the server's certificate is good for ${EVIL_HOST}`);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? undefined : `unexpected: ${error.message}`),
    );
  });
}

/** A user of `vireo dashboard`, logged in by its cookie, visits other pages. */
export async function onLocal(
  user: Watched,
  local: { readonly port: number },
  cluster: HostileCluster,
  site: AttackSite,
  trial: Trial,
): Promise<void> {
  const origin = `http://127.0.0.1:${local.port}`;
  const tab = await user.page.context().newPage();
  try {
    for (const attacker of attackers(site)) {
      await tab.goto(attacker);
      const before = cluster.asked.length;
      const mark = '?fieldSelector=metadata.name%3Dattack';
      const aim: Aim = {
        origin,
        readPath: `${CONFIG_MAPS}${mark}`,
        writePath: `${CONFIG_MAPS}${mark}`,
        body: planted('stolen'),
        streams: ['/dashboard/watches', STREAM],
      };
      for (const problem of await attack(tab, aim)) trial.check(`${attacker} on vireo dashboard: ${problem}`);
      const reached = cluster.asked
        .slice(before)
        .filter((each) => each.includes('attack') || each.startsWith('UPGRADE'));
      trial.check(reached.length === 0 ? undefined : `${attacker} has reached the cluster: ${reached.join(', ')}`);
    }
    await tab.goto(`http://${EVIL_HOST}:${local.port}/dashboard/`).catch(() => {});
    const text = (await tab.textContent('body').catch(() => '')) ?? '';
    trial.check(text.includes('Open http://127.0.0.1') ? undefined : 'vireo dashboard answers by the name of another');
    // Whoever has the cookie is let in, so that the refusals above are for the right reason.
    const inside = await user.page.evaluate(
      `fetch('/version', { headers: { 'x-vireo-dashboard': '1' } }).then((response) => response.status)`,
    );
    trial.check(inside === 200 ? undefined : `the attack proves nothing: the page itself is refused (${inside})`);
  } finally {
    await tab.close();
  }
  for (const host of ['evil.test', 'localhost', `localhost:${local.port}`, `10.0.2.2:${local.port}`, '127.0.0.1:1']) {
    const status = await statusFor(local.port, host);
    trial.check(status === 421 ? undefined : `vireo dashboard answers ${status} to Host ${host}`);
  }
}

function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/dashboard/', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}
