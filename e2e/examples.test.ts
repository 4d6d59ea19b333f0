import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { useCluster } from './kubectl.ts';

const directory = join(import.meta.dirname, '..', 'examples');
/** VMs need a server that runs them: the tests in `vms/`. */
const isPlain = (name: string): boolean => !readFileSync(join(directory, name), 'utf8').includes('kubevirt.io/v1');
const { kubectl } = useCluster();

describe('the examples', () => {
  it.each(readdirSync(directory).filter((name) => name.endsWith('.yaml') && isPlain(name)))(
    '%s can be applied, twice',
    async (name) => {
      const file = join(directory, name);
      const first = (await kubectl(`apply -f ${file}`)).split('\n');
      expect(first.every((line) => line.endsWith(' created'))).toBe(true);
      const second = (await kubectl(`apply -f ${file}`)).split('\n');
      expect(second).toEqual(first.map((line) => line.replace(/ created$/, ' unchanged')));
    },
  );

  it('give the read-only user what it says', async () => {
    expect(await kubectl('auth can-i list pods --as=system:serviceaccount:default:auditor')).toBe('yes');
    expect(await kubectl('auth can-i delete pods --as=system:serviceaccount:default:auditor')).toContain('no');
  });

  it('let Prometheus read metrics with its token, and nothing else', async () => {
    const secret = '-n monitoring get secret prometheus -o jsonpath={.data.token}';
    await vi.waitFor(async () => expect((await kubectl.run(secret)).stdout).not.toBe(''), { timeout: 20_000 });
    const token = Buffer.from((await kubectl.run(secret)).stdout, 'base64').toString();
    const { server, 'certificate-authority-data': ca } = (
      await kubectl.json<{ clusters: [{ cluster: Record<string, string> }] }>('config view --raw -o json')
    ).clusters[0].cluster;
    const fetched = async (path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const request = https.get(`${server}${path}`, { ca: Buffer.from(ca ?? '', 'base64'), headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode ?? 0;
    };
    expect(await fetched('/metrics')).toBe(200);
    for (const path of ['/api/v1/namespaces', '/api/v1/namespaces/monitoring/secrets', '/apis/apps/v1/deployments'])
      expect(await fetched(path)).toBe(403);
  });
});
