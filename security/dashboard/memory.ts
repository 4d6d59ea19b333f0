import type { Browser, Page } from 'playwright-core';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { watch } from './eyes.ts';

/** How a user leaves the page, and what it says then. */
interface Leaving {
  readonly name: string;
  readonly says: string;
  leave(page: Page): Promise<void>;
}

const IDLE_MS = 15 * 60_000;

export const LEAVING: readonly Leaving[] = [
  {
    name: 'logging out',
    says: 'You are logged out.',
    leave: (page) => page.getByRole('button', { name: 'Log out' }).click(),
  },
  {
    name: 'a lock',
    says: 'Locked, because nobody has touched the page',
    async leave(page) {
      await page.clock.install();
      await page.clock.setSystemTime(Date.now() + IDLE_MS + 1_000);
      await page.clock.runFor(11_000);
    },
  },
];

/** After a user has left, the memory of the page has neither the token nor what the user saw, and Back shows nothing. */
export async function memory(
  ground: Ground,
  browser: Browser,
  secret: string,
  { name, says, leave }: Leaving,
  trial: Trial,
): Promise<void> {
  const token = await tokenOf(ground);
  const user = await watch(browser);
  const { page } = user;
  try {
    await page.goto(`https://127.0.0.1:${ground.port}/dashboard/`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: /^Log in$/ }).click();
    await page.locator('.bar-user').waitFor();
    await page.getByText(secret).first().waitFor();
    const before = await heapOf(page);
    trial.check(before.includes(token) ? undefined : 'the check proves nothing: the token is not found before either');
    await page.getByRole('link', { name: 'Nodes' }).click();
    await leave(page);
    await page.getByText(says).waitFor();
    const after = await heapOf(page);
    trial.check(after.includes(token) ? `the token is in the memory of the page after ${name}` : undefined);
    trial.check(after.includes(secret) ? `names of objects are in the memory after ${name}` : undefined);
    const stored = String(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
    );
    trial.check(stored.includes(token.slice(-40)) ? 'the token is stored' : undefined);
    await page.goBack();
    await page.getByLabel('Token').waitFor();
    const shown = (await page.textContent('body')) ?? '';
    trial.check(shown.includes(secret) ? 'Back shows what the user saw' : undefined);
    for (const problem of await user.problems()) trial.check(`logging in, and ${name}: ${problem}`);
  } finally {
    await user.close();
  }
}

/** All objects of a page that can be reached, as text. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('');
}

async function tokenOf(ground: Ground): Promise<string> {
  const wire = ground.wire(ground.admin);
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: object) => wire.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'dashboard-viewer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
  });
  const { body } = await post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}
