import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conditionOf, isDeleting, Namespace, Node } from '@vireo/api';
import { SCHEDULE_LABEL, ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { FOUND_BACKUP, HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import type { Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupsOf } from '../testing/backups.ts';
import { startBackupWorker } from '../testing/backupWorker.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { refuse } from '../testing/refusal.ts';
import { at, source, useSnapshots } from '../testing/snapshots.ts';
import { gone } from '../testing/watching.ts';
import { backupAt, LAST_TIME, type Schedule } from './decide.ts';

const snapshots = useSnapshots({ node: 'a' });
const { admin, startControllers, createVm, until, eventRecorded } = snapshots;
const { setTarget, ready, failed, restore } = backupsOf(snapshots);

/** A schedule of every New Year which made its last backup in 2020: one is due, and the next one only next year. */
const DUE = '20210101t000000';
const others = { namespace: 'others' };
const stopping = new AbortController();
const stuck = new Set<string>();
const broken = new Set<string>();
let directory: string;
let stop: () => Promise<void>;

const schedules = () => admin().of(ScheduleVmBackup);
const backups = () => admin().of(HarvesterBackup);
const create = (name: string, spec: Partial<ScheduleVmBackup['spec']> = {}): Promise<Schedule> =>
  schedules().create({
    metadata: { name, ...at, annotations: { [LAST_TIME]: '2020-06-01T00:00:00.000Z' } },
    spec: { cron: '0 0 1 1 *', retain: 2, maxFailure: 2, vmbackup: { source: source('web'), type: 'backup' }, ...spec },
  });
const schedule = (name: string, fits: (object: ScheduleVmBackup) => boolean) =>
  until<ScheduleVmBackup>(ScheduleVmBackup, name, fits);
const change = (name: string, spec: object) => schedules().patch(name, { spec }, { ...at, type: 'merge' });
/** Has a schedule that is suspended make the next backup at once. Resolves when that is whole. */
async function resume(name: string, { besides }: { readonly besides: readonly string[] }): Promise<ScheduleVmBackup> {
  await change(name, { suspend: false, cron: '@every 1s' });
  const isMore = (each: ScheduleVmBackup) => listed(each).some((made) => !besides.includes(made));
  const resumed = await schedule(name, (each) => isMore(each) && isAllReady(each));
  await change(name, { suspend: true });
  return resumed;
}
/** Those that a schedule says it has made. */
const listed = ({ status }: ScheduleVmBackup): string[] => (status?.vmbackupInfo ?? []).map(({ name = '' }) => name);
const isAllReady = ({ status }: ScheduleVmBackup): boolean =>
  status?.vmbackupInfo?.every(({ readyToUse }) => readyToUse) ?? false;
/** Backups that a schedule has made in earlier years, the oldest first. */
async function madeBefore(of: Schedule, years: readonly number[]): Promise<string[]> {
  const names: string[] = [];
  for (const year of years) {
    const { metadata } = await backups().create(backupAt(of, Date.UTC(year, 0, 1)));
    names.push(metadata.name);
  }
  return names;
}
/** The backups that are at the target. */
const stored = async (name: string): Promise<string[]> =>
  (await readdir(join(directory, 'v1', NAMESPACE))).filter((each) => each.startsWith(`${name}-`));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-schedules-'));
  const isOf = (names: ReadonlySet<string>, request: string) =>
    [...names].some((name) => request.includes(`/${name}-`));
  await admin()
    .of(Node)
    .create({ metadata: { name: 'a' } });
  await admin()
    .of(Namespace)
    .create({ metadata: { name: others.namespace } });
  await startBackupWorker(admin(), stopping.signal, {
    isStuck: (request) => isOf(stuck, request),
    problem: (request) => (isOf(broken, request) ? 'the disk cannot be read' : undefined),
  });
  stop = await startControllers();
  await setTarget(directory);
  await createVm('web');
});
afterAll(async () => {
  stopping.abort();
  await stop?.();
  await rm(directory, { recursive: true, force: true });
});

describe('a schedule', () => {
  it('makes the backup that is due, once, and says so', async () => {
    const { metadata } = await create('due');
    const made = await ready(`due-${DUE}`);
    expect(made).toMatchObject({
      metadata: { labels: { [SCHEDULE_LABEL]: metadata.uid }, annotations: { [SCHEDULE_LABEL]: `${NAMESPACE}/due` } },
      spec: { type: 'backup', source: { name: 'web' } },
    });
    await eventRecorded('due', 'BackupCreated');
    const { metadata: noted, status } = await schedule('due', (each) => listed(each).length > 0 && isAllReady(each));
    expect(Date.parse(noted.annotations?.[LAST_TIME] ?? '')).toBeGreaterThan(Date.parse('2021-01-01T00:00:00Z'));
    expect(status).toMatchObject({ failure: 0, suspended: false, vmbackupInfo: [{ name: `due-${DUE}` }] });
    expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'BackupSuspend=False',
      'BackupRefused=False',
      'BackupNotRemoved=False',
    ]);
  });

  it('removes the oldest of those that are too many, at the target too', async () => {
    const [oldest = '', ...kept] = await madeBefore(await create('retained', { suspend: true }), [2018, 2019, 2020]);
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === oldest);
    const left = await schedule('retained', (each) => listed(each).length === 2 && isAllReady(each));
    expect(listed(left)).toEqual(kept);
    expect(await stored('retained')).toEqual(kept.map((name) => expect.stringMatching(`^${name}-`)));
  });

  it('suspends itself after failures, and goes on when they are deleted', async () => {
    broken.add('failing');
    const names = await madeBefore(await create('failing', { suspend: true }), [2018, 2019]);
    for (const name of names) await failed(name);
    await change('failing', { suspend: false });
    const why = 'the last 2 backups failed; delete them to go on';
    const { status } = await schedule('failing', (each) => conditionOf(each, 'BackupSuspend')?.message === why);
    expect(status).toMatchObject({ failure: 2, suspended: true });
    expect(await backups().find(`failing-${DUE}`, at)).toBeUndefined();
    broken.delete('failing');
    for (const name of names) await backups().delete(name, at);
    await ready(`failing-${DUE}`);
  });

  it('keeps a backup that a restore needs, and makes the one that is due', async () => {
    const made = await madeBefore(await create('used', { suspend: true }), [2018, 2019]);
    for (const name of made) await ready(name);
    const [used = ''] = made;
    stuck.add(used);
    await restore('long', 'long', { virtualMachineBackupName: used, newVM: true });
    await until<HarvesterRestore>(HarvesterRestore, 'long', ({ status }) => status?.restores !== undefined);
    // It was one too many by then.
    expect(listed(await resume('used', { besides: made }))).toContain(used);
    expect(isDeleting(await backups().get(used, at))).toBe(false);
    await admin().of(HarvesterRestore).delete('long', at);
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === used);
  });

  it('says which backup cannot be removed, and makes the one that is due', async () => {
    const name = 'kept-20180101t000000';
    const allow = await refuse(admin(), HarvesterBackup, { name, operations: ['DELETE'] });
    const made = await madeBefore(await create('kept', { suspend: true }), [2018, 2019, 2020]);
    await eventRecorded('kept', 'BackupNotRemoved');
    const { status } = await resume('kept', { besides: made });
    expect(conditionOf({ status }, 'BackupNotRemoved')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/is refused$/),
    });
    expect(isDeleting(await backups().get(name, at))).toBe(false);
    await allow();
    await change('kept', { retain: 3 });
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === name);
  });

  it('says why its backup is refused, and makes it as soon as it can', async () => {
    const allow = await refuse(admin(), HarvesterBackup, { name: `late-${DUE}`, operations: ['CREATE'] });
    await create('late');
    const { status, metadata } = await schedule(
      'late',
      (each) => conditionOf(each, 'BackupRefused')?.status === 'True',
    );
    expect(conditionOf({ status }, 'BackupRefused')?.message).toMatch(/is refused$/);
    expect(metadata.annotations?.[LAST_TIME]).toBe('2020-06-01T00:00:00.000Z');
    await eventRecorded('late', 'BackupRefused');
    await allow();
    await change('late', { retain: 3 });
    await ready(`late-${DUE}`);
    await schedule('late', (each) => conditionOf(each, 'BackupRefused')?.status === 'False');
  });

  it('does not take the backup of somebody else for its own', async () => {
    const name = `taken-${DUE}`;
    await backups().create({ metadata: { name, ...at }, spec: { source: source('web'), type: 'backup' } });
    await create('taken');
    const { status } = await schedule('taken', (each) => conditionOf(each, 'BackupRefused')?.status === 'True');
    expect(conditionOf({ status }, 'BackupRefused')?.message).toBe(
      `VirtualMachineBackup ${NAMESPACE}/${name} exists and is not of this schedule; delete it`,
    );
    expect(status?.vmbackupInfo ?? []).toEqual([]);
  });
});

describe('backups of another namespace that say they are of a schedule', () => {
  /** As somebody may write them who may do everything in that namespace. */
  async function forged(of: Schedule, name: string, annotations: object = {}): Promise<void> {
    const { metadata, spec } = backupAt(of, 0);
    const marks = { ...metadata.annotations, ...annotations };
    await backups().create({ metadata: { ...metadata, ...others, name, annotations: marks }, spec });
  }

  it('neither suspend it nor have any of its own removed', async () => {
    const made = await create('attacked', { suspend: true });
    for (const name of ['failed-1', 'failed-2']) await forged(made, name);
    for (const name of ['failed-1', 'failed-2']) await failed(name);
    for (const name of ['whole-1', 'whole-2']) {
      await forged(made, name, { [FOUND_BACKUP]: 'true' });
      await backups().patchStatus(name, { status: { readyToUse: true } }, { ...others, type: 'merge' });
    }
    const [own = ''] = await madeBefore(made, [2020]);
    await ready(own);
    const resumed = await resume('attacked', { besides: [own] });
    expect(resumed.status).toMatchObject({ failure: 0, suspended: false });
    expect(listed(resumed)).toContain(own);
    expect((await backups().list(others)).items).toHaveLength(4);
    expect(isDeleting(await backups().get(own, at))).toBe(false);
  });
});

describe('controllers that died between a backup and its note on the schedule', () => {
  /** Nothing that is written to schedules arrives. */
  const withoutNotes = (transport: Transport): Transport => ({
    call: async (request) => {
      if (request.method === 'PATCH' && /\/schedulevmbackups\/[^/]+$/.test(request.path)) throw new Error('lost');
      return transport.call(request);
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  });

  it('make no second one', async () => {
    await stop();
    const end = await startControllers(withoutNotes);
    await create('crashed');
    await ready(`crashed-${DUE}`);
    await end();
    expect((await schedules().get('crashed', at)).metadata.annotations?.[LAST_TIME]).toBe('2020-06-01T00:00:00.000Z');
    // If the first one did not count, another one would be due by now.
    await change('crashed', { cron: '0 0 2 1 *' });
    stop = await startControllers();
    // Schedules are looked at one by one.
    await create('after');
    await ready(`after-${DUE}`);
    const { items } = await backups().list(at);
    expect(items.filter(({ metadata }) => metadata.name.startsWith('crashed-'))).toHaveLength(1);
  });
});
