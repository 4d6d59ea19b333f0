import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import type { Specs } from '../specs.ts';

const LABEL = 'test.vireo.dev/target';
const ZONE = 'test.vireo.dev/zone';
const ADDED = 'test.vireo.dev/migration';

/** KubeVirt's tests/migration/nodeselector.go. */
export function nodeSelectorSpecs(specs: () => Specs, nodes: readonly string[]): void {
  describe('live migration with addedNodeSelector', () => {
    it('a VM migrates to a labelled node', async () => {
      const vmi = await specs().run(guestless('labelled'));
      const target = nodes.find((node) => node !== vmi.status?.nodeName) as string;
      await specs().patchNode(target, { labels: { [LABEL]: 'target' } });
      const selectors = async () => ({
        vmi: (await specs().vmi('labelled')).spec.nodeSelector?.[LABEL],
        pod: (await specs().launcher(vmi)).spec?.nodeSelector?.[LABEL],
      });
      expect(await selectors()).toEqual({ vmi: undefined, pod: undefined });
      await specs().migrated(vmi, { addedNodeSelector: { [LABEL]: 'target' } });
      expect((await specs().vmi('labelled')).status?.nodeName).toBe(target);
      expect(await selectors()).toEqual({ vmi: undefined, pod: 'target' });
      await specs().migrated(vmi);
      expect(await selectors()).toEqual({ vmi: undefined, pod: undefined });
    });

    it('a migration fails when no node satisfies its nodeSelector', async () => {
      const vmi = await specs().run(guestless('unsatisfied'));
      const source = vmi.status?.nodeName;
      const other = nodes.find((node) => node !== source) as string;
      await specs().patchNode(other, { labels: { [LABEL]: 'valid' } });
      // KubeVirt's spec waits for the five minutes that are the default.
      const annotations = { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '1' };
      await specs().notMigrated(vmi, { addedNodeSelector: { [LABEL]: 'broken' }, annotations });
      expect((await specs().vmi('unsatisfied')).status?.nodeName).toBe(source);
      await specs().migrated(vmi);
      expect((await specs().vmi('unsatisfied')).status?.nodeName).not.toBe(source);
    });

    it('a migration can only restrict the nodeSelector of its VMI', async () => {
      for (const node of nodes.slice(0, 2)) await specs().patchNode(node, { labels: { [ZONE]: 'vmi' } });
      const vmi = await specs().run(guestless('zoned', { nodeSelector: { [ZONE]: 'vmi' } }));
      const source = vmi.status?.nodeName;
      for (const node of nodes)
        if (node !== source) await specs().patchNode(node, { labels: { [ADDED]: 'migration' } });
      await specs().migrated(vmi, { addedNodeSelector: { [ADDED]: 'migration', [ZONE]: 'migration' } });
      const moved = await specs().vmi('zoned');
      expect(moved.status?.nodeName).not.toBe(source);
      expect(moved.spec.nodeSelector).toEqual({ [ZONE]: 'vmi' });
      expect((await specs().launcher(vmi)).spec?.nodeSelector).toMatchObject({ [ZONE]: 'vmi', [ADDED]: 'migration' });
      await specs().migrated(vmi);
      const { nodeSelector } = (await specs().launcher(vmi)).spec ?? {};
      expect(nodeSelector).toMatchObject({ [ZONE]: 'vmi' });
      expect(nodeSelector).not.toHaveProperty(ADDED);
    });
  });
}
