import { expect, it } from 'vitest';
import { downloadAddress, downloadCommand, filesOf, type VmExport } from './exports.ts';
import { addSample, durationText, paceOf } from './transfer.ts';
import { classUsage, nodeRooms } from './usage.ts';

const base = 'https://127.0.0.1:6443/api/export.kubevirt.io/v1/namespaces/n/virtualmachineexports/e/volumes/d';
const exported: VmExport = {
  metadata: { namespace: 'n', name: 'e' },
  status: {
    links: {
      external: {
        volumes: [
          {
            name: 'd',
            formats: [
              { format: 'raw', url: `${base}/disk.img` },
              { format: 'dir', url: `${base}/dir/` },
            ],
          },
        ],
      },
    },
  },
};
const files = filesOf(exported);
const [file] = files;

it('an export offers files, and no directories', () => expect(files.map(({ format }) => format)).toEqual(['raw']));

it.each([
  [
    'vireo dashboard',
    { mode: 'local', server: 'https://127.0.0.1:6443', origin: '' },
    undefined,
    '/dashboard/exports/n/e/volumes/d/disk.img',
  ],
  ['vireo dashboard of another server', { mode: 'local', server: 'https://other', origin: '' }, undefined, undefined],
  [
    'the server itself',
    { mode: 'token', server: undefined, origin: '' },
    't',
    `${new URL(base).pathname}/disk.img?x-kubevirt-export-token=t`,
  ],
  ['the server itself, without the token', { mode: 'token', server: undefined, origin: '' }, undefined, undefined],
])('the way through %s', (_, place, token, address) =>
  expect(file && downloadAddress(file, place, token)).toBe(address),
);

it('the command names the volume', () =>
  expect(file && downloadCommand(exported, file)).toBe(
    'vireo vmexport download e -n n --volume=d --format=raw --output=d.img',
  ));

it('speed is that of the last seconds', () => {
  const samples = [0, 1, 2].reduce(
    (all, second) => addSample(all, { atMs: second * 1000, bytes: second * 100 }),
    [] as ReturnType<typeof addSample>,
  );
  expect(paceOf(samples, 1_000)).toEqual({ bytesPerSecond: 100, secondsLeft: 8 });
  expect(paceOf(samples.slice(0, 1), 1_000).bytesPerSecond).toBeUndefined();
  expect([8, 90, 7_500].map(durationText)).toEqual(['8 s', '2 min', '2 h 5 min']);
});

it('usage counts claims by class, and room by node', () => {
  const claim = {
    metadata: { name: 'c' },
    spec: { storageClassName: 'local' },
    status: { capacity: { storage: '1Gi' } },
  };
  expect(classUsage([], [claim, claim], [])).toMatchObject([
    { name: 'local', claims: 2, givenBytes: 2 ** 31, usedBytes: undefined },
  ]);
  expect(
    nodeRooms([
      { metadata: { name: 'n', annotations: { 'vireo.dev/free-storage': '5' } } },
      { metadata: { name: 'x' } },
    ]),
  ).toEqual([{ name: 'n', freeBytes: 5, totalBytes: undefined }]);
});
