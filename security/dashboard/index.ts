import { existsSync } from 'node:fs';
import { startDashboard } from '@vireo/cli/commands/dashboard/server.ts';
import { BUILT, loadPage } from '@vireo/dashboard';
import { staticCredentials } from '@vireo/kube';
import type { Browser, Page } from 'playwright-core';
import type { Ground } from '../ground.ts';
import type { Part, Trial } from '../part.ts';
import { until } from '../until.ts';
import { startAttackSite } from './attackPage.ts';
import { onLocal, onServer } from './crossOrigin.ts';
import { CHROMIUM, launch, type Watched, watch } from './eyes.ts';
import { headers } from './headers.ts';
import { startHostileCluster } from './hostileCluster.ts';
import { crawl } from './injection.ts';
import { cookieProblems, login } from './login.ts';
import { LEAVING, memory } from './memory.ts';
import { oneTimeKey } from './oneTimeKey.ts';

const VM = 'web';

export const dashboard: Part = {
  name: 'dashboard',
  about:
    'headers, cookies, hostile texts, requests of other sites and to them, the one-time key, forged logins, and what stays ' +
    'after logging out and locking',
  async run(ground, trial) {
    if (!existsSync(CHROMIUM)) return trial.note(`needs a browser: ${CHROMIUM} does not exist`);
    if (!existsSync(`${BUILT}/index.html`)) return trial.note('the dashboard is not built');
    await plant(ground);
    const browser = await launch();
    try {
      await withHostileCluster(ground, browser, trial);
      const site = await startAttackSite();
      try {
        await onServer(ground, browser, site, trial);
        await oneTimeKey(ground, browser, site, trial);
        await login(browser, site, trial);
      } finally {
        site.close();
      }
      for (const way of LEAVING) await memory(ground, browser, VM_LABEL, way, trial);
    } finally {
      await browser.close();
    }
  },
};

const VM_LABEL = 'security-lane-vm';
const SET = 'security-lane-set';
const POOL = 'security-lane-pool';

/** Something of everything that the pages show. */
async function plant(ground: Ground): Promise<void> {
  const wire = ground.wire(ground.admin);
  const headers = { 'content-type': 'application/json' };
  const post = async (path: string, body: object): Promise<void> => {
    const { status, body: text } = await wire.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  };
  const vms = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
  const template = {
    metadata: { labels: { role: 'text-of-a-label' }, annotations: { note: 'a note' } },
    spec: {
      domain: {
        memory: { guest: '64Mi' },
        devices: {
          disks: [{ name: 'root', disk: { bus: 'virtio' } }],
          interfaces: [{ name: 'default', masquerade: {} }],
        },
      },
      networks: [{ name: 'default', pod: {} }],
      volumes: [{ name: 'root', containerDisk: { image: 'vireo/boot-sector' } }],
    },
  };
  const kind = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' };
  await post(vms, {
    ...kind,
    metadata: { name: VM, labels: { role: 'front' } },
    spec: { runStrategy: 'Always', template },
  });
  await post(vms, { ...kind, metadata: { name: VM_LABEL }, spec: { runStrategy: 'Halted', template } });
  await plantSets(post, template);
  await until('the VM to run', async () => {
    const { body } = await wire.send({ method: 'GET', path: `${vms}/${VM}` });
    return (JSON.parse(body) as { status?: { printableStatus?: string } }).status?.printableStatus === 'Running';
  });
}

/** Without machines, which would be among those of other parts. */
async function plantSets(post: (path: string, body: object) => Promise<void>, template: object): Promise<void> {
  const labels = { role: SET };
  const selector = { matchLabels: labels };
  const ofMachines = { ...template, metadata: { labels } };
  await post('/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancereplicasets', {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name: SET },
    spec: { replicas: 0, selector, template: ofMachines },
  });
  await post('/apis/pool.kubevirt.io/v1beta1/namespaces/default/virtualmachinepools', {
    apiVersion: 'pool.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePool',
    metadata: { name: POOL },
    spec: {
      replicas: 0,
      selector,
      virtualMachineTemplate: { metadata: { labels }, spec: { runStrategy: 'Always', template: ofMachines } },
    },
  });
}

const MOST_ATTEMPTS = 3;

/** Chromium cuts its connections when guests bring network devices, also while it reads the page. */
async function logIn(page: Page, newAddress: () => string): Promise<boolean> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    // Another code alone would not load anything.
    await page.goto('about:blank');
    const isShown = await page
      .goto(newAddress())
      .then(() => page.locator('.bar-user').waitFor({ timeout: 20_000 }))
      .then(...outcome);
    if (isShown) return true;
  }
  return false;
}
const outcome = [() => true, () => false] as const;

/** The page of a real `vireo dashboard`, whose cluster attacks it. */
async function withHostileCluster(ground: Ground, browser: Browser, trial: Trial): Promise<void> {
  const cluster = await startHostileCluster(ground);
  const { server, certificateAuthority } = cluster;
  const credentials = staticCredentials({ token: 'x' });
  const local = await startDashboard({
    cluster: { server, certificateAuthority, credentials, namespace: 'default' },
    namespace: 'default',
    port: 0,
    page: await loadPage(),
  });
  const site = await startAttackSite();
  const user: Watched = await watch(browser);
  try {
    await headers(ground, local, trial);
    const isIn = await logIn(user.page, local.newAddress);
    trial.check(isIn ? undefined : 'the page does not show itself');
    if (!isIn) return;
    for (const problem of await user.problems()) trial.check(`/dashboard/: ${problem}`);
    const ofOne = (href: string): boolean => !href.includes('/machines/') || href.includes(`/${VM}`);
    await crawl(user, trial, ofOne);
    const others = user.origins().filter((origin) => origin !== `http://127.0.0.1:${local.port}`);
    trial.check(others.length === 0 ? undefined : `the page has asked other servers: ${others.join(', ')}`);
    for (const problem of cookieProblems(await user.page.context().cookies(), [`vireo-dashboard-${local.port}`]))
      trial.check(problem);
    await onLocal(user, local, cluster, site, trial);
  } finally {
    await user.close();
    site.close();
    await local.close();
    cluster.close();
  }
}
