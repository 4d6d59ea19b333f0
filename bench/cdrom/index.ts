import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Namespace } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { nodeLayout } from '@vireo/node';
import { isoImage } from '@vireo/node/iso9660.ts';
import { LibvirtdSupervisor } from '@vireo/node/libvirtd/supervisor.ts';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { DataVolumes } from '../storage/dataVolumes.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { modelOf, overlay } from '../vm/model.ts';
import { virsh } from '../vm/virshGuests.ts';
import { Follower } from '../vms/follower.ts';
import { endDaemon } from '../vms/libvirtd.ts';
import { NAMESPACE, vm } from '../vms/objects.ts';
import { startVireoWithVms, type VireoWithVms } from '../vms/vireo.ts';
import type { Plan } from './plan.ts';
import { Trays } from './trays.ts';

export const MEASUREMENTS: readonly string[] = ['insert', 'exchange', 'eject'];

/** The changes of one drive, in milliseconds until its tray is closed again. */
type Changes = Readonly<Record<'insert' | 'exchange' | 'eject', number>>;

const NAME = 'drive';
const DISCS = ['one', 'two'] as const;

/** Measures how fast discs come and go, beside `virsh change-media` on a daemon of its own; leaves nothing behind. */
export async function cdrom(plan: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  await using cleanUp = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  onProgress('nothing yet: starting Vireo and another libvirtd');
  const discs = DISCS.map((name) => join(directory, `${name}.iso`));
  for (const file of discs)
    await writeFile(file, isoImage({ volumeLabel: 'DISC', files: { 'disc.txt': Buffer.alloc(1 << 20) } }));
  const vireo = await startVireoWithVms(join(directory, 'vireo'));
  cleanUp.defer(() => vireo.stop());
  const ours = await oursOf(vireo, discs, directory, cleanUp);
  const theirs = await theirsOf(vireo, ours.uid, discs, directory, cleanUp);
  onProgress('inserting and ejecting discs');
  const options = { warmUp: plan.rounds > 1, budgetMs: plan.budgetSeconds * 1000 };
  const measured = await rounds(plan.rounds, { vireo: ours.change, virsh: theirs }, options);
  return resultsOf(measured, ({ vireo: mine, virsh: bare }) =>
    MEASUREMENTS.map((what) => ({
      metric: `${what}, from the call to the closed tray, vs virsh change-media`,
      value: mine[what as keyof Changes],
      baseline: bare[what as keyof Changes],
      unit: 'ms',
      better: 'less',
      aim: { of: 'ratio', bound: 1.3 },
    })),
  );
}

/** A VM of Vireo, whose drive is changed by subresources. */
async function oursOf(
  { client, layout }: VireoWithVms,
  discs: readonly string[],
  directory: string,
  cleanUp: AsyncDisposableStack,
): Promise<{ readonly uid: string; readonly change: () => Promise<Changes> }> {
  await client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const certificate = await readFile(join(directory, 'vireo/pki/ca.crt'), 'utf8');
  const volumes = cleanUp.use(await DataVolumes.start(client, certificate));
  for (const [index, name] of DISCS.entries()) {
    await volumes.create(name, { upload: {} }, 2);
    await volumes.reaches(name, 'UploadReady');
    await volumes.upload(name, discs[index] ?? '');
    await volumes.reaches(name, 'Succeeded');
  }
  const draft = vm(NAME);
  draft.spec.template.spec?.domain.devices?.disks?.push({ name: 'cd', cdrom: { bus: 'sata' } });
  await client.of(VirtualMachine).create(draft);
  const follower = cleanUp.use(await Follower.start(client));
  await follower.running(NAME);
  const trays = cleanUp.use(await Trays.of(layout));
  const put = (action: 'addvolume' | 'removevolume', body: object) => () =>
    client.call({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/${NAME}/${action}`,
      body: { name: 'cd', ...body },
    });
  const disc = (claimName: string) => ({ volumeSource: { persistentVolumeClaim: { claimName } } });
  return {
    uid: await follower.uidOf(NAME),
    change: async () => ({
      insert: await trays.time(put('addvolume', disc('one'))),
      exchange: await trays.time(put('addvolume', { ...disc('two'), replace: true })),
      eject: await trays.time(put('removevolume', { diskRetentionPolicy: 'keep' })),
    }),
  };
}

/** The same guest on a daemon beside, whose drive is changed by virsh. */
async function theirsOf(
  { layout }: VireoWithVms,
  uid: string,
  [first = '', second = '']: readonly string[],
  directory: string,
  cleanUp: AsyncDisposableStack,
): Promise<() => Promise<Changes>> {
  const beside = nodeLayout(join(directory, 'beside'), layout.isRoot);
  // With what Vireo's daemon knows of QEMU already: finding that out takes seconds.
  await cp(join(layout.libvirt, 'cache'), join(beside.libvirt, 'cache'), { recursive: true });
  cleanUp.defer(() => endDaemon(beside));
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  await new LibvirtdSupervisor(beside, log).ensureRunning();
  const model = await modelOf(layout, uid);
  const uuid = randomUUID();
  const files = vmiFiles(beside, uuid);
  await Promise.all([files.directory, files.sockets].map((each) => mkdir(each, { recursive: true })));
  await overlay(model.image, join(files.directory, model.disk));
  const definition = join(files.directory, 'domain.xml');
  await writeFile(definition, model.domain({ name: NAME, uuid, files }));
  await virsh(beside, 'create', definition);
  const trays = cleanUp.use(await Trays.of(beside));
  const change = (...words: string[]) =>
    trays.time(() => virsh(beside, 'change-media', NAME, 'sda', ...words, '--live'));
  return async () => ({
    insert: await change(first, '--insert'),
    exchange: await change(second, '--update'),
    eject: await change('--eject'),
  });
}
