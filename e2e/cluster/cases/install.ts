import { describe, expect, it } from 'vitest';
import { IN_ORDER, stepsOn, TIMEOUT, type UseCluster } from '../fixture.ts';

const PRIORITY = 'priorityclass/kubevirt-cluster-critical';

/** `vireo install` while the roles run. */
export function installCases(cluster: UseCluster): void {
  const { inTheMiddle, run } = stepsOn(cluster);

  describe.concurrent('vireo install on a cluster', () => {
    it('brings back what is missing, and waits until all is available', IN_ORDER, async () => {
      const { kubectl, installOptions } = cluster();
      await kubectl.do(`delete ${PRIORITY}`);
      const output = await inTheMiddle(() => run(`install ${installOptions} --wait`), {
        // Settings, instance types, APIServices and webhooks follow.
        begun: () => kubectl.until(`get ${PRIORITY} -o name`, /critical$/),
      });
      expect(output).toContain('is installed on Kubernetes');
      expect(await kubectl(`get ${PRIORITY} -o name`)).toMatch(/critical$/);
      await kubectl.do(`wait kubevirt/kubevirt -n kubevirt --for=condition=Available ${TIMEOUT}`);
    });
  });
}
