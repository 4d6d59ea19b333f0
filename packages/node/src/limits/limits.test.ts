import { describe, expect, it } from 'vitest';
import type { Domain } from '../vmi/domainInformer.ts';
import { type Hierarchy, mountedHierarchies } from './hierarchies.ts';
import { limitFiles, parentFiles } from './limitFiles.ts';
import { describeOutOfMemory, endedForMemory, outOfMemoryV1, outOfMemoryV2 } from './outOfMemory.ts';
import { limitsCondition } from './place.ts';

const V1 = `
31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
36 31 0:33 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
99 31 0:32 / /mnt/again rw,relatime - cgroup cgroup rw,memory
`;
const V2 = '30 23 0:26 / /sys/fs/c\\040group rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';

it('the trees of version 1 are told by their options', () => {
  const trees = mountedHierarchies(V1).map(({ mount, controllers, isSystemds }) => [
    mount,
    [...controllers],
    isSystemds,
  ]);
  expect(trees).toEqual([
    ['/sys/fs/cgroup/cpu,cpuacct', ['cpu'], false],
    ['/sys/fs/cgroup/memory', ['memory'], false],
    ['/sys/fs/cgroup/devices', [], false],
    ['/sys/fs/cgroup/pids', ['pids'], false],
    ['/sys/fs/cgroup/systemd', [], true],
  ]);
});

it('the tree of version 2 is one, and systemd goes by it', () => {
  expect(mountedHierarchies(V2)).toEqual([{ version: 2, mount: '/sys/fs/c group', controllers: [], isSystemds: true }]);
});

const tree = (version: 1 | 2): Hierarchy => ({
  version,
  mount: '/cgroup',
  controllers: ['memory', 'cpu', 'pids'],
  isSystemds: version === 2,
});
const written = (version: 1 | 2, cpuMillis?: number) =>
  limitFiles(tree(version), { memoryBytes: 1000n, cpuShares: 512, cpuMillis, tasks: 99 }).map(
    ({ name, value }) => `${name}=${value}`,
  );

describe('the limits of a guest are written', () => {
  it('for version 1', () => {
    expect(written(1, 1500)).toEqual([
      'memory.memsw.limit_in_bytes=-1',
      'memory.limit_in_bytes=1000',
      'memory.memsw.limit_in_bytes=2000',
      'cpu.shares=512',
      'cpu.cfs_period_us=100000',
      'cpu.cfs_quota_us=150000',
      'pids.max=99',
    ]);
    expect(written(1)).toContain('cpu.cfs_quota_us=-1');
  });

  it('for version 2', () => {
    expect(written(2, 1500)).toEqual([
      'memory.max=1000',
      'memory.swap.max=1000',
      'memory.oom.group=1',
      'cpu.weight=50',
      'cpu.max=150000 100000',
      'pids.max=99',
    ]);
    expect(written(2)).toContain('cpu.max=max 100000');
    expect(written(2, 1)).toContain('cpu.max=1000 100000');
  });

  it('and all guests together weigh as much as the CPUs of their host', () => {
    expect(parentFiles(tree(1), 8)).toEqual([{ name: 'cpu.shares', value: '8192' }]);
    expect(parentFiles(tree(2), 8)).toEqual([{ name: 'cpu.weight', value: '800' }]);
    expect(parentFiles(tree(2), 512)).toEqual([{ name: 'cpu.weight', value: '10000' }]);
    expect(parentFiles({ ...tree(2), controllers: ['memory'] }, 8)).toEqual([]);
  });
});

describe('out of memory', () => {
  const limit = `${256 << 20}`;
  const control = (kills: number): string => `oom_kill_disable 0\nunder_oom 0\noom_kill ${kills}\n`;
  const events = (oom: number, kills: number): string =>
    `low 0\nhigh 0\nmax 7\noom ${oom}\noom_kill ${kills}\noom_group_kill 0\n`;
  it.each([
    ['nothing was killed', outOfMemoryV1(control(0), ['5'], limit), undefined],
    ['the limit was reached', outOfMemoryV1(control(1), ['5'], limit), 'its limit of 256 MiB'],
    ['the limit of memory and swap was reached', outOfMemoryV1(control(1), ['0', '3'], limit), 'its limit'],
    ['the host had none left', outOfMemoryV1(control(1), ['0', '0'], limit), 'the host ran out of memory'],
    ['there is no group', outOfMemoryV1('', [], ''), undefined],
    ['nothing was killed', outOfMemoryV2(events(0, 0), limit), undefined],
    ['the limit was reached', outOfMemoryV2(events(1, 2), limit), 'its limit of 256 MiB'],
    ['the host had none left', outOfMemoryV2(events(0, 1), limit), 'the host ran out of memory'],
  ])('%s', (_, found, message) => {
    if (message === undefined) expect(found).toBeUndefined();
    else expect(found && describeOutOfMemory(found)).toContain(message);
  });
});

it.each([
  ['crashed', 'QEMU needed more memory than its limit of 256 MiB'],
  // Nobody was there to see it end.
  ['unknown', 'QEMU needed more memory than its limit of 256 MiB'],
  // One of its helpers was killed before.
  ['destroyed', undefined],
])('a guest in whose group the kernel has killed, and which is %s', async (reason, why) => {
  const domain = { state: { state: 'shutoff', reason } } as Domain;
  const outOfMemory = async () => ({ kills: 1, isOwnLimit: true, limitBytes: 256 << 20 });
  const found = await endedForMemory({ uid: 'web', domain }, { outOfMemory });
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});

describe('an administrator reads that', () => {
  it.each([
    ['all is limited', {}, 'guests have limits of memory, CPU time and processes (cgroups v2)'],
    [
      'some is',
      { cpu: 'this host has no cgroup controller "cpu"' },
      'guests have limits of memory and processes (cgroups v2), and no limits of CPU time: ' +
        'this host has no cgroup controller "cpu"',
    ],
    [
      'nothing is',
      { memory: '/cgroup is read-only', cpu: '/cgroup is read-only', pids: '/cgroup is read-only' },
      'guests have no limits of memory, CPU time and processes: /cgroup is read-only',
    ],
  ])('%s', (_, missing, message) => {
    const status = Object.keys(missing).length === 0 ? 'True' : 'False';
    expect(limitsCondition({ hierarchies: [tree(2)], missing })).toMatchObject({
      type: 'GuestLimits',
      status,
      message,
    });
  });
});
