import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootSectorDisk } from '@vireo/node';
import { type DebianRegistry, REGISTRY_USER, startDebianRegistry } from '@vireo/oci/testing/debianRegistry.ts';
import { diskImage, layoutFiles, testIndex } from '@vireo/oci/testing/image.ts';
import { push } from '@vireo/oci/testing/push.ts';
import { tar } from '@vireo/oci/testing/tarWriter.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVireo } from '../vireo.ts';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const { kubectl, untilStatus, clear, create, home, vireo } = useVms();

let open: DebianRegistry;
let closed: DebianRegistry;
beforeAll(async () => {
  [open, closed] = await Promise.all([startDebianRegistry(), startDebianRegistry({ isPrivate: true })]);
});
afterAll(async () => {
  await open?.close();
  await closed?.close();
});

const image = diskImage(bootSectorDisk());
const launcherOf = (name: string): Promise<string> => kubectl(`get pods -l vm.kubevirt.io/name=${name} -o name`);
const eventsOf = async (name: string): Promise<string> => kubectl(`events --for ${await launcherOf(name)}`);
const hasBooted = (name: string): Promise<void> =>
  kubectl.until(`logs -l vm.kubevirt.io/name=${name} --tail=-1`, /vireo: boot sector ready/);
/** A VM with pull policy and secret said. */
const pulling = (name: string, containerDisk: Record<string, string>): string =>
  vm(name, { spec: { volumes: [{ name: 'root', containerDisk }] } });

describe('a VM from a registry', () => {
  it('boots, and its launcher tells of the pull', async () => {
    const other = diskImage(Buffer.from('for another VM'), { architecture: 's390x' });
    const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
    await push(open.host, 'disks/tiny', 'v1', testIndex({ [architecture]: image, s390x: other }));
    await create(vm('pulled', { image: `${open.host}/disks/tiny:v1` }));
    await untilStatus('pulled', 'Running');
    await hasBooted('pulled');
    const events = await eventsOf('pulled');
    expect(events).toMatch(/Normal +Pulling .*Pulling image "127\.0\.0\.1:\d+\/disks\/tiny:v1"/);
    expect(events).toMatch(/Normal +Pulled .*Successfully pulled image .* in \d+\.\d+s\. Image size: \d+ bytes\./);
  }, 120_000);

  it('is launched by the name of its image, from a mirror of the registry that the name leads to', async () => {
    await push(open.host, 'containerdisks/debian', '13', image);
    const mirrored = { registries: { 'quay.io': { mirrors: [`http://${open.host}`] } } };
    await writeFile(join(home(), 'registries.json'), JSON.stringify(mirrored));
    expect(await vireo('launch debian deb --disk 16Mi --memory 64Mi')).toMatch(
      /^Created VM default\/deb from debian \(quay\.io\/containerdisks\/debian:13\)\.\nIts disk is claim deb-root/,
    );
    await hasBooted('deb');
    const { output } = await runVireo(['image', 'list'], { VIREO_HOME: home() });
    expect(output).toMatch(/^NAME +STATE +SIZE +DESCRIPTION AND SOURCE\n/);
    expect(output).toMatch(/^debian +local +\d+ kB +Debian 13, quay\.io\/containerdisks\/debian:13$/m);
    expect(output).toMatch(/^fedora +pulled on first use +– +Fedora \d+, quay\.io\/containerdisks\/fedora:\d+$/m);
    expect(output).toMatch(/^127\.0\.0\.1:\d+\/disks\/tiny:v1 +local /m);
    expect(output).toMatch(/^test\/\S+ +local /m);
    expect(await vireo('delete deb --force')).toBe('VM deb deleted\n  claim deb-root (16Mi) was deleted with it');
    await kubectl.until('get pv', 'No resources found');
  }, 120_000);

  it('a second one needs no registry; one whose image is not here does', async () => {
    const { host } = open;
    await open.close();
    await create(
      pulling('again', { image: `${host}/disks/tiny:v1`, imagePullPolicy: 'Never' }),
      pulling('never', { image: `${host}/disks/other:v1`, imagePullPolicy: 'Never' }),
      pulling('gone', { image: `${host}/disks/other:v1` }),
    );
    await untilStatus('again', 'Running');
    expect(await eventsOf('again')).toMatch(/Normal +Pulled .*already present on machine/);
    await untilStatus('gone', 'ErrImagePull');
    await kubectl.until('get pods -l vm.kubevirt.io/name=never', /0\/1 +ErrImageNeverPull +0/);
    expect(await eventsOf('gone')).toMatch(/Warning +Failed .*cannot be reached: connect ECONNREFUSED/);
    expect(await readdir(join(home(), 'images/oci/disks'))).toHaveLength(1);
  }, 120_000);
});

describe('a VM from a private registry', () => {
  const secret = (name: string, password: string): Promise<unknown> =>
    kubectl.do(
      `create secret docker-registry ${name} --docker-server=${closed.host} --docker-username=${REGISTRY_USER.username} --docker-password=${password}`,
    );

  it('boots with its pull secret; with a wrong one, or none, it says 401', async () => {
    await push(closed.host, 'private/tiny', 'v1', image, REGISTRY_USER);
    await secret('right', REGISTRY_USER.password);
    await secret('wrong', 'guessed');
    const named = `${closed.host}/private/tiny:v1`;
    await create(
      pulling('stranger', { image: named, imagePullSecret: 'wrong', imagePullPolicy: 'Always' }),
      pulling('anonymous', { image: named, imagePullPolicy: 'Always' }),
      pulling('friend', { image: named, imagePullSecret: 'right', imagePullPolicy: 'Always' }),
    );
    await Promise.all([untilStatus(['stranger', 'anonymous'], 'ErrImagePull'), untilStatus('friend', 'Running')]);
    await hasBooted('friend');
    const why = (name: string): Promise<string> =>
      kubectl(`get vm ${name} -o 'jsonpath={.status.conditions[?(@.type=="Synchronized")].message}'`);
    expect(await why('stranger')).toContain('401 Unauthorized; it rejected the credentials of user "reader"');
    expect(await why('anonymous')).toContain('401 Unauthorized; no credentials were sent');
    expect(await eventsOf('stranger')).toMatch(/Warning +Failed .*401/);
  }, 120_000);

  it('boots from a DataVolume that an image fills, with a disk of its own', async () => {
    const source = { registry: { url: `docker://${closed.host}/private/tiny:v1`, secretRef: 'right' } };
    const volume = {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { name: 'from-registry' },
      spec: { source, storage: { resources: { requests: { storage: '16Mi' } } } },
    };
    const volumes = [{ name: 'root', dataVolume: { name: 'from-registry' } }];
    await create(JSON.stringify(volume), vm('owner', { spec: { volumes } }));
    await untilStatus('owner', 'Running');
    await hasBooted('owner');
    expect(await kubectl('get dv from-registry')).toMatch(/from-registry +Succeeded +100.0% +/);
    await kubectl.do('delete vm/owner dv/from-registry --timeout=90s');
    await kubectl.until('get pv', 'No resources found');
    expect(await readdir(join(home(), 'volumes'))).toEqual([]);
  }, 120_000);
});

describe('an image that is imported on a schedule', () => {
  const importCron = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataImportCron',
    metadata: { name: 'tiny' },
    spec: {
      schedule: '@every 2s',
      managedDataSource: 'tiny',
      importsToKeep: 1,
      retentionPolicy: 'None',
      template: { spec: { storage: { resources: { requests: { storage: '16Mi' } } } } },
    },
  };
  const status = (path: string): Promise<string> => kubectl(`get dic tiny -o 'jsonpath=${path}'`);

  it('has a DataSource that follows what is pushed, and goes with all that it has made', async () => {
    await push(closed.host, 'scheduled/tiny', 'v1', image, REGISTRY_USER);
    const registry = { url: `docker://${closed.host}/scheduled/tiny:v1`, secretRef: 'right' };
    const template = { spec: { ...importCron.spec.template.spec, source: { registry } } };
    await create(JSON.stringify({ ...importCron, spec: { ...importCron.spec, template } }));
    await kubectl.do('wait dic/tiny --for=condition=UpToDate --timeout=60s');
    const first = await status('{.status.lastImportedPVC.name}');
    expect(first).toMatch(/^tiny-[0-9a-f]{12}$/);
    expect(await status('{.status.currentImports[0].Digest}')).toContain(`sha256:${first.slice('tiny-'.length)}`);
    await kubectl.until('get das tiny -o jsonpath={.spec.source.pvc.name}', first);
    await kubectl.do('wait das/tiny --for=condition=Ready --timeout=30s');

    await push(closed.host, 'scheduled/tiny', 'v1', diskImage(Buffer.from('another disk')), REGISTRY_USER);
    const stale = new RegExp(`^(?!${first}$)tiny-[0-9a-f]{12}$`);
    await kubectl.until('get das tiny -o jsonpath={.spec.source.pvc.name}', stale);
    await kubectl.until('get dv -l cdi.kubevirt.io/dataImportCron=tiny -o jsonpath={.items[*].metadata.name}', stale);

    await kubectl.do('delete dic tiny --timeout=30s');
    await kubectl.until('get das,dv,pvc -l cdi.kubevirt.io/dataImportCron=tiny', /No resources found/);
  }, 120_000);
});

describe('a VM from this host', () => {
  it('boots from an archive below the home, and from nowhere else', async () => {
    await writeFile(join(home(), 'images/test/packed.tar'), tar(layoutFiles(image)));
    await create(
      vm('unpacked', { image: 'oci-archive:test/packed.tar' }),
      vm('outside', { image: 'oci-archive:../../../etc/passwd' }),
    );
    await untilStatus('unpacked', 'Running');
    await hasBooted('unpacked');
    await untilStatus('outside', 'ErrImagePull');
  }, 120_000);
});

it('nothing of them is left when all are gone, but the images', async () => {
  await clear();
  expect(await readdir(join(home(), 'machines'))).toEqual([]);
  expect(await readdir(join(home(), 'images/oci/disks'))).toHaveLength(1);
}, 120_000);
