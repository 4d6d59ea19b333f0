import type { UnknownObject } from '@vireo/api';
import { FREE_STORAGE } from '@vireo/api/kinds/core/volumeNames.ts';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { heldStartsReason } from '@vireo/api/kinds/kubevirt/restored.ts';
import { expect, it } from 'vitest';
import { markRestored, nodesIn } from './takeOver.ts';

const bytes = (object: object): Uint8Array => Buffer.from(JSON.stringify(object));
const backedUp = (key: string, metadata: object) => ({
  key,
  value: bytes({ metadata }),
  revision: 1,
  createRevision: 1,
});
const keeps = { annotations: { [FREE_STORAGE]: '1' } };

it('the nodes of a backup are those that keep guests, whatever else it has', () => {
  expect(
    nodesIn([
      backedUp('core/nodes/b', { name: 'b', ...keeps }),
      backedUp('core/nodes/simulated', { name: 'simulated' }),
      backedUp('core/pods/shop/b', { name: 'b', ...keeps }),
      backedUp('core/nodes/a', { name: 'a', ...keeps }),
    ]),
  ).toEqual(['a', 'b']);
});

it('a server whose nodes went on keeps all objects, and starts nothing until that is confirmed', () => {
  const adapt = markRestored('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
  for (const key of [
    'kubevirt.io/virtualmachines/shop/web',
    'kubevirt.io/virtualmachineinstances/shop/web',
    'core/pods/a/b',
  ])
    expect(adapt(key, bytes({ metadata: {} }))).toBe('same');
  const settings = adapt('kubevirt.io/kubevirts/kubevirt/kubevirt', bytes({ metadata: { name: 'kubevirt' } }));
  const restored = settings as UnknownObject as unknown as KubeVirt;
  expect(restored.metadata.name).toBe('kubevirt');
  expect(heldStartsReason(restored)).toMatch(
    /^the server was restored from a backup of 2026-01-01T00:00:00Z, and nodes/,
  );
});
