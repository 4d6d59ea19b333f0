import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { VsockCids } from './vsockCids.ts';

const DEVICES = { domain: { devices: { autoattachVSOCK: true } } };
const withVsock = (uid: string, status: Vmi['status'] = {}): Vmi => vmiWith(status, { uid }, DEVICES);

/** VMIs, and who gives them CIDs: the numbers of a list, one after the other. */
function cidsOf(vmis: Vmi[], numbers: number[] = []) {
  const deleted: ((vmi: Vmi) => void)[] = [];
  const informer = {
    list: () => vmis,
    on: (handlers: { deleted?: (vmi: Vmi) => void }) => void (handlers.deleted && deleted.push(handlers.deleted)),
  } as unknown as ConstructorParameters<typeof VsockCids>[0];
  const cids = numbers.length > 0 ? new VsockCids(informer, () => numbers.shift() ?? 0) : new VsockCids(informer);
  return {
    cids,
    remove: (vmi: Vmi) => {
      for (const each of deleted) each(vmi);
    },
  };
}

it('every VMI with VSOCK has a CID of its own, also before the cache shows it', () => {
  const { cids } = cidsOf([withVsock('a', { phase: 'Running', VSOCKCID: 5 })], [5, 7, 7, 5, 9]);
  expect(cids.missing(withVsock('b'))).toBe(7);
  expect(cids.missing(withVsock('b'))).toBe(7);
  expect(cids.missing(withVsock('c'))).toBe(9);
});

it('a CID is free again when its VMI is gone', () => {
  const { cids, remove } = cidsOf([], [7, 7]);
  const vmi = withVsock('a');
  expect(cids.missing(vmi)).toBe(7);
  remove(vmi);
  expect(cids.missing(withVsock('b'))).toBe(7);
});

it('CIDs are those that a guest can have', () => {
  const { cids } = cidsOf([]);
  for (let index = 0; index < 1000; index++) {
    const cid = cids.missing(withVsock(`uid-${index}`)) ?? 0;
    expect(cid).toBeGreaterThanOrEqual(3);
    expect(cid).toBeLessThan(0xffff_ffff);
  }
});

it.each<[string, Vmi]>([
  ['has one', withVsock('a', { VSOCKCID: 5 })],
  ['has no VSOCK', vmiWith()],
  ['was started by an older version', withVsock('a', { phase: 'Running', nodeName: 'node-1' })],
])('a VMI that %s is given none', (_title, vmi) => {
  expect(cidsOf([]).cids.missing(vmi)).toBeUndefined();
});
