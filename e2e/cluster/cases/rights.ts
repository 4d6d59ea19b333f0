import { ApiError } from '@vireo/api';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, type UseCluster, vmPath } from '../fixture.ts';
import { ON_ITS_WAY, retried } from '../kills.ts';

/** What RBAC refuses, whoever has just died. */
export function rightsCases(cluster: UseCluster): void {
  const { create, inTheMiddle } = stepsOn(cluster);
  const as = '--as=eve';
  /** The answers to a request of eve's that is sent again and again while the kill comes; none may be a success. */
  const answers = async (action: string): Promise<number[]> => {
    const config = await loadKubeconfig({ path: cluster().kubeconfig });
    const eve = new Client(httpTransport({ ...config, impersonate: { user: 'eve' } }));
    const ask = (): Promise<number> =>
      eve.call({ method: 'PUT', path: `${vmPath('guarded')}/${action}`, body: {} }).then(
        () => 200,
        (error: unknown) => (error instanceof ApiError ? error.code : 0),
      );
    const seen: number[] = [];
    const all = async (): Promise<void> => {
      for (let count = 0; count < 50; count++) seen.push(await ask());
      expect(seen).toContain(403);
      expect(await ask()).toBe(403);
    };
    await inTheMiddle(all, ON_ITS_WAY);
    await eve.close();
    return seen;
  };

  describe.concurrent('a user without rights on a cluster', () => {
    it('starts no VM', IN_ORDER, async () => {
      await create(vm('guarded', { runStrategy: 'Halted' }));
      const seen = await answers('start');
      expect(seen.filter((code) => code < 400 && code !== 0)).toEqual([]);
      expect(await cluster().kubectl('get vm guarded -o jsonpath={.spec.runStrategy}')).toBe('Halted');
      expect(await cluster().kubectl('get vmi guarded')).toContain('NotFound');
    });

    it.each(['start guarded', 'console guarded', 'addvolume guarded --volume-name data'])(
      'is told so: %s',
      IN_ORDER,
      async (command) => {
        await retried(async () =>
          expect(await cluster().vireo(`${command} ${as}`)).toMatch(/forbidden[\s\S]*exit code 1/i),
        );
      },
    );

    it('may look, once bound to the role for it, and change nothing', IN_ORDER, async () => {
      const { kubectl } = cluster();
      await inTheMiddle(() => kubectl.do('create rolebinding eve --clusterrole=kubevirt.io:view --user=eve'), {
        done: /already exists/,
      });
      await kubectl.until(`get vm guarded -o name ${as}`, 'virtualmachine.kubevirt.io/guarded');
      await retried(async () =>
        expect(await cluster().vireo(`start guarded ${as}`)).toMatch(/forbidden[\s\S]*exit code 1/i),
      );
      expect(await kubectl(`delete vm guarded ${as}`)).toMatch(/Forbidden/);
    });
  });
}
