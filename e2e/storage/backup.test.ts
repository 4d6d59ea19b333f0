import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { spawnVireo } from '../vireo.ts';
import { useVms, type Vms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { countingDisk } from './countingGuest.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const here = useVms();
const there = useVms();

const at = (metadata: object) => ({ ...metadata, labels: { of: 'backup' } });
const objects = [
  { apiVersion: 'v1', kind: 'Secret', metadata: at({ name: 'web-keys' }), stringData: { key: 'kept' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: at({ name: 'web-settings' }), data: { mode: 'quiet' } },
].map((object) => JSON.stringify(object));

/** A VM on a disk that is a copy of the claim `golden`, and more that it needs. */
const copied = (name: string): string =>
  vm(name, {
    root: { dataVolume: { name: `${name}-root` } },
    volumes: [
      { name: 'keys', secret: { secretName: 'web-keys' } },
      { name: 'settings', configMap: { name: 'web-settings' } },
    ],
    vmSpec: {
      dataVolumeTemplates: [
        {
          metadata: { name: `${name}-root` },
          spec: {
            source: { pvc: { namespace: 'default', name: 'golden' } },
            storage: { resources: { requests: { storage: '16Mi' } } },
          },
        },
      ],
    },
  });

const untilCounted = ({ kubectl }: Vms, name: string, count: number): Promise<unknown> =>
  kubectl.until(`logs -l vm.kubevirt.io/name=${name} --tail=-1`, new RegExp(`counted boots: ${count}`));

/** Runs a line as a user would, in a shell in the repository; gives what it printed, and throws where it failed. */
async function shell(line: string): Promise<string> {
  const kubectl = process.env.VIREO_KUBECTL;
  const path = [join(repository, 'bin'), ...(kubectl ? [dirname(kubectl)] : []), process.env.PATH].join(':');
  const env = { PATH: path, KUBECONFIG: here.server().kubeconfig, OTHER_KUBECONFIG: there.server().kubeconfig };
  // Files that a line makes are made in the home; what it names in the repository is found all the same.
  const setUp = `set -eu; cd "${here.home()}"; [ -e examples ] || ln -s "${repository}/examples" examples`;
  const { code, output } = await spawnVireo(['-c', `${setUp}\n${line}`], env, '/bin/sh').ended;
  if (code !== 0) throw new Error(`${line}\nended with ${code}:\n${output}`);
  return output;
}

/** The commands of a section of a page. */
async function commandsOf(page: string, title: string): Promise<string[]> {
  const text = await readFile(join(repository, 'docs', page), 'utf8');
  const [, section = ''] = text.split(new RegExp(`^## ${title}$`, 'm'));
  const [own = ''] = section.split(/^## /m);
  return [...own.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);
}

beforeAll(async () => {
  await writeFile(join(here.home(), 'counting.raw'), countingDisk());
  await shell('vireo image-upload pvc golden --size=16Mi --image-path=counting.raw');
  await here.create(...objects, copied('web'), copied('mover'));
  await here.untilStatus(['web', 'mover'], 'Running');
  await untilCounted(here, 'web', 1);
}, 180_000);

describe('a VM that runs', () => {
  it('is backed up and restored by the recipes, in another home and with its data', async () => {
    const [check = '', ...recipes] = await commandsOf('objectgraph.md', 'Recipes');
    expect(await shell(check)).toBe('');
    for (const recipe of recipes) await shell(recipe);
    expect(await here.kubectl('get vmexport,vmsnapshot')).toBe('No resources found in default namespace.');
    await untilCounted(there, 'web', 2);
    expect(await there.kubectl('get secret web-keys -o jsonpath={.data.key}')).toBe(
      Buffer.from('kept').toString('base64'),
    );
    expect(await there.kubectl('get configmap web-settings -o jsonpath={.data.mode}')).toBe('quiet');
    expect(await there.kubectl('get dv')).toBe('No resources found in default namespace.');
    expect(await here.kubectl('get pvc,secret,configmap -l app.kubernetes.io/part-of=web -o name')).toBe(
      'persistentvolumeclaim/web-root\nsecret/web-keys\nconfigmap/web-settings',
    );
  }, 180_000);

  it('offers its disks only while it does not', async () => {
    const create = await here.vireo('vmexport create paused --vm=web');
    expect(create).toBe("VirtualMachineExport 'default/paused' created succesfully");
    await here.kubectl.until(
      'get vmexport paused -o jsonpath={.status.phase}:{.status.conditions[0].message}',
      'Pending:PersistentVolumeClaim default/web-root is in use by VirtualMachineInstance web: stop that VM first',
    );
    await here.vireo('stop web');
    await here.kubectl.until('get vmexport paused', /web +Ready/);
    await here.vireo('start web');
    await here.kubectl.until('get vmexport paused', /web +Pending/);
    await here.kubectl.until('get events --field-selector reason=ExportPaused', /in use by VirtualMachineInstance web/);
    expect(await here.vireo('vmexport delete paused')).toBe(
      "VirtualMachineExport 'default/paused' deleted succesfully",
    );
  }, 120_000);

  it('has its memory dumped and downloaded', async () => {
    const output = join(here.home(), 'dump.tar.gz');
    const printed = await here.vireo(`memory-dump get mover --claim-name=dump --create-claim --output=${output}`);
    expect(printed).toContain('Download finished succesfully');
    expect(await shell(`tar -tzf ${output}`)).toMatch(/^mover-dump-\d{8}-\d{6}\.memory\.dump\n$/);
  }, 120_000);
});

describe('a VM that is stopped', () => {
  it('moves to another home by its manifests', async () => {
    await here.vireo('stop mover');
    await here.untilStatus('mover', 'Stopped');
    await there.create(...objects);
    for (const recipe of await commandsOf('export.md', 'Move a VM')) await shell(recipe.replaceAll('web', 'mover'));
    await there.vireo('start mover');
    await there.untilStatus('mover', 'Running');
    await untilCounted(there, 'mover', 2);
  }, 180_000);
});
