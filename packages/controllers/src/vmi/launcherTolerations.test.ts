import { expect, it } from 'vitest';
import { launcherTolerations } from './launcherTolerations.ts';

const [NOT_READY, UNREACHABLE] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

it('a launcher tolerates unreachable nodes without limit, whatever its VMI says', () => {
  const lab = { key: 'lab', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };
  const limited = { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };
  expect(launcherTolerations([lab, limited])).toEqual([
    lab,
    { key: NOT_READY, operator: 'Exists', effect: 'NoExecute' },
    { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' },
    { key: 'virtual-kubelet.io/provider', operator: 'Exists' },
  ]);
});
