import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms, type Vms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { countingDisk } from './countingGuest.ts';

const here = useVms();
const there = useVms();
let target = '';

const BACKUPS = 'virtualmachinebackups.harvesterhci.io';
const RESTORES = 'virtualmachinerestores.harvesterhci.io';

const untilCounted = ({ kubectl }: Vms, name: string, count: number): Promise<unknown> =>
  kubectl.until(`logs -l vm.kubevirt.io/name=${name} --tail=-1`, new RegExp(`counted boots: ${count}`));

const page = new URL('../../docs/backups-of-vms.md', import.meta.url);
/** The commands of a section of the page. */
async function commandsOf(title: string): Promise<string> {
  const [, section = ''] = (await readFile(page, 'utf8')).split(new RegExp(`^## ${title}$`, 'm'));
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? '';
}
/** The object that the commands of a section create. */
const objectIn = async (title: string): Promise<string> =>
  /<<END\n(.*?)^END$/ms.exec(await commandsOf(title))?.[1] ?? '';

/** As on one of the hosts that share a directory. */
async function setTarget({ kubectl }: Vms): Promise<void> {
  const patch = /-p '(.*)'/.exec(await commandsOf('The target'))?.[1] ?? '';
  await kubectl.until('get setting backup-target -o name', /backup-target/);
  await kubectl(`patch setting backup-target --type=merge -p '${patch.replace('/mnt/backup', target)}'`);
  await kubectl('wait setting/backup-target --for=condition=configured --timeout=1m');
}

beforeAll(async () => {
  target = await mkdtemp(join(tmpdir(), 'vireo-target-'));
  await writeFile(join(here.home(), 'counting.raw'), countingDisk());
  await here.vireo(`image-upload pvc counter --size=16Mi --image-path=${join(here.home(), 'counting.raw')}`);
  await here.create(
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web-keys' }, stringData: { key: 'kept' } }),
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web-settings' }, data: { mode: 'fast' } }),
    vm('web', {
      root: { persistentVolumeClaim: { claimName: 'counter' } },
      volumes: [
        { name: 'keys', secret: { secretName: 'web-keys' } },
        { name: 'settings', configMap: { name: 'web-settings' } },
      ],
    }),
  );
  await untilCounted(here, 'web', 1);
}, 180_000);
afterAll(() => rm(target, { recursive: true, force: true }));

describe('a VM that is backed up to a directory and deleted', () => {
  it('is restored from there in another home, with its data, Secrets and ConfigMaps', async () => {
    await setTarget(here);
    await here.create(await objectIn('Back up'));
    await here.kubectl.until(`get ${BACKUPS} monday -o jsonpath={.status.readyToUse}:{.status.error}`, 'true:');
    await here.kubectl('delete vm web --wait');
    await here.kubectl('delete pvc counter --wait');

    await setTarget(there);
    await there.kubectl.until(`get ${BACKUPS} monday -o jsonpath={.status.readyToUse}`, 'true');
    await there.create(await objectIn('Restore'));
    await there.kubectl.until(`get ${RESTORES} again -o jsonpath={.status.complete}`, 'true');
    await untilCounted(there, 'web', 2);
    expect(await there.kubectl('get secret web-keys -o jsonpath={.data.key}')).toBe(
      Buffer.from('kept').toString('base64'),
    );
    expect(await there.kubectl('get configmap web-settings -o jsonpath={.data.mode}')).toBe('fast');
    await there.kubectl(`delete ${BACKUPS} monday --wait`);
    expect((await readdir(target, { recursive: true })).filter((file) => file.includes('monday'))).toEqual([]);
  }, 240_000);
});
