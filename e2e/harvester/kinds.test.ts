import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { unzip } from '@vireo/extension/testing/unzip.ts';
import { bootSectorMarker } from '@vireo/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVireo } from '../vireo.ts';
import { useVms } from '../vms/fixture.ts';
import { GUESTS } from '../vms/guests.ts';

const vireo = useVms();
const { kubectl } = vireo;
const DISK = GUESTS.obedient;
const ACTIONS = '/apis/subresources.harvesterhci.io/v1beta1';

let web: Server;
let url: string;
beforeAll(async () => {
  web = createServer((_, response) => response.end(DISK));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/disk.img`;
});
afterAll(() => void web?.close());

/** A request with the administrator's certificate, as scripts of Harvester's users send them. */
async function call(method: string, path: string, body: Buffer | string = '', contentType = 'application/json') {
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFile(join(vireo.home(), 'pki', name))),
  );
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Buffer }>();
  https
    .request(`https://127.0.0.1:${vireo.server().port}${path}`, { method, ca, cert, key })
    .setHeader('content-type', contentType)
    .once('response', async (response) => resolve({ status: response.statusCode ?? 0, body: await buffer(response) }))
    .once('error', reject)
    .end(body);
  return promise;
}

/** An action as a subresource; answers the status. */
const act = async (target: string, body: object = {}): Promise<string> => {
  const answer = await call('POST', `${ACTIONS}/${target}`, JSON.stringify(body));
  return answer.status < 300 ? `${answer.status}` : `${answer.status} ${JSON.parse(String(answer.body)).message}`;
};

const image = (name: string, spec: object): string =>
  JSON.stringify({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name },
    spec: { displayName: name, ...spec },
  });

/** A VM and the claim that its disk is on. */
const vmOn = (name: string, imageName: string, labels: Record<string, string> = {}): string[] => [
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `${name}-root`, annotations: { 'harvesterhci.io/imageId': `default/${imageName}` } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Mi' } } },
  }),
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, labels },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: { memory: { guest: '32Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
          volumes: [{ name: 'root', persistentVolumeClaim: { claimName: `${name}-root` } }],
        },
      },
    },
  }),
];

const untilImported = (name: string): Promise<void> =>
  kubectl.do(`wait vmimage/${name} --for=condition=Imported --timeout=60s`);

/** Waits until the guest of a VM has booted from its disk. */
const untilBooted = async (name: string): Promise<void> => {
  await vireo.untilStatus(name, 'Running');
  await kubectl.until(`logs -l vm.kubevirt.io/name=${name} --tail=-1`, new RegExp(bootSectorMarker));
};

describe('an image', () => {
  it('is downloaded, and a VM boots from it', async () => {
    const checksum = createHash('sha512').update(DISK).digest('hex');
    await vireo.create(image('downloaded', { sourceType: 'download', url, checksum }));
    await untilImported('downloaded');
    await vireo.create(...vmOn('first', 'downloaded', { 'harvesterhci.io/maintain-mode-strategy': AFTERWARDS }));
    await untilBooted('first');
  }, 120_000);

  it('is uploaded by the Steve API as Harvester’s page does, and a VM boots from it', async () => {
    await vireo.create(image('uploaded', { sourceType: 'upload' }));
    const form = Buffer.concat([
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="chunk"; filename="disk.img"\r\n\r\n'),
      DISK,
      Buffer.from('\r\n--XX--\r\n'),
    ]);
    const path = `/v1/harvester/harvesterhci.io.virtualmachineimages/default/uploaded?action=upload&size=${DISK.length}`;
    expect(await call('POST', path, form, 'multipart/form-data; boundary=XX')).toMatchObject({ status: 200 });
    await untilImported('uploaded');
    await vireo.create(...vmOn('second', 'uploaded', { 'harvesterhci.io/maintain-mode-strategy': 'Shutdown' }));
    await untilBooted('second');
  }, 120_000);

  it('is sent back whole', async () => {
    const { status, body } = await call('GET', `${ACTIONS}/namespaces/default/virtualmachineimages/uploaded/download`);
    expect(status).toBe(200);
    expect(gunzipSync(body).subarray(0, DISK.length).equals(DISK)).toBe(true);
  });
});

const AFTERWARDS = 'ShutdownAndRestartAfterDisable';

describe('a node', () => {
  it('is maintained: VMs stop, and those that are to run again do so afterwards', async () => {
    const [node = ''] = (await kubectl('get nodes -o jsonpath={.items[*].metadata.name}')).split(' ');
    await vireo.create(...vmOn('third', 'uploaded'));
    await untilBooted('third');
    expect(await act(`nodes/${node}/enableMaintenanceMode`)).toMatch(/^409 .*default\/third cannot move to another/);
    await kubectl.do(`patch vm third --type=merge -p '{"spec":{"runStrategy":"Halted"}}'`);
    await vireo.untilStatus('third', 'Stopped');

    const before = await vireo.uidOf('first');
    expect(await act(`nodes/${node}/enableMaintenanceMode`)).toBe('204');
    const path = '{.metadata.annotations.harvesterhci\\.io/maintain-status}';
    await kubectl.until(`get node ${node} -o jsonpath=${path}`, 'completed');
    await vireo.untilStatus(['first', 'second'], 'Stopped');
    await kubectl.until('get vmi', 'No resources found in default namespace.');
    expect(await kubectl(`get node ${node} -o jsonpath={.spec.unschedulable}`)).toBe('true');

    expect(await act(`nodes/${node}/disableMaintenanceMode`)).toBe('204');
    await vireo.untilReplaced('first', before);
    await untilBooted('first');
    expect(await kubectl('get vm second -o jsonpath={.spec.runStrategy}')).toBe('Halted');
  }, 180_000);
});

describe('a claim', () => {
  const claims = 'namespaces/default/persistentvolumeclaims';
  const bound = (name: string): Promise<void> =>
    kubectl.do(`wait pvc/${name} --for=jsonpath={.status.phase}=Bound --timeout=60s`);

  it('is cloned, kept, restored and exported, and a VM boots from what comes of it', async () => {
    expect(await act(`${claims}/first-root/clone`, { name: 'x' })).toMatch(/^409 .*the VM "first" uses it/);
    expect(await act(`${claims}/second-root/clone`, { name: 'copy' })).toBe('204');
    expect(await act(`${claims}/second-root/snapshot`, { name: 'kept' })).toBe('204');
    await kubectl.do('wait volumesnapshot/kept --for=jsonpath={.status.readyToUse}=true --timeout=60s');
    expect(await act('namespaces/default/volumesnapshots/kept/restore', { name: 'restored' })).toBe('204');
    await bound('copy');
    await bound('restored');
    const spec = { displayName: 'exported', namespace: 'default', storageClassName: 'local' };
    const answer = await call('POST', `${ACTIONS}/${claims}/restored/export`, JSON.stringify(spec));
    const exported = JSON.parse(String(answer.body)) as { metadata: { name: string } };
    await untilImported(exported.metadata.name);
    await vireo.create(...vmOn('fourth', exported.metadata.name));
    await untilBooted('fourth');
  }, 180_000);

  it('is copied to another storage class, and a VM boots from the copy', async () => {
    const target = { targetVolumeName: 'moved', targetStorageClassName: 'local-wait' };
    expect(await act(`${claims}/restored/dataMigration`, target)).toBe('204');
    await kubectl.do('wait dv/moved --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
    expect(await kubectl('get pvc moved -o jsonpath={.spec.storageClassName}')).toBe('local-wait');
    const [, vm = ''] = vmOn('mover', 'none');
    await vireo.create(vm.replace('mover-root', 'moved'));
    await untilBooted('mover');
  }, 120_000);

  it('that cannot grow asks for what it has again', async () => {
    await kubectl.do(`patch pvc copy --type=merge -p '{"spec":{"resources":{"requests":{"storage":"900Ti"}}}}'`);
    expect(await act(`${claims}/copy/cancelExpand`)).toBe('204');
    expect(await kubectl('get pvc copy -o jsonpath={.spec.resources.requests.storage}')).toBe('2Mi');
  });
});

describe('a template', () => {
  const namespace = 'namespaces/default';

  it('of a VM with its data has what a VM boots from', async () => {
    const body = { name: 'golden', description: 'with my tools', withData: true };
    expect(await act(`${namespace}/virtualmachines/first/createTemplate`, body)).toMatch(/^409 .*stop the VM first/);
    expect(await act(`${namespace}/virtualmachines/second/createTemplate`, body)).toBe('204');
    await kubectl.do('wait vmtemplate/golden --for=jsonpath={.status.defaultVersion}=1 --timeout=30s');
    const id = await kubectl('get vmtemplate golden -o jsonpath={.spec.defaultVersionId}');
    const version = id.replace('default/', '');
    await kubectl.do(`wait vmtemplateversion/${version} --for=condition=ready --timeout=60s`);
    const { status, body: list } = await call('GET', `${ACTIONS}/${namespace}/virtualmachinetemplates/golden/versions`);
    expect(status).toBe(200);
    const { items } = JSON.parse(String(list)) as { items: { spec: { vm: { metadata: object; spec: object } } }[] };
    const { metadata, spec } = items[0]!.spec.vm;
    const vm = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { ...metadata, name: 'copy' },
      spec: { ...spec, runStrategy: 'Always' },
    };
    await vireo.create(JSON.stringify(vm).replaceAll(`templateversion-${version}-disk`, 'copy-disk'));
    await untilBooted('copy');
    const refused = await call(
      'DELETE',
      `/apis/harvesterhci.io/v1beta1/${namespace}/virtualmachinetemplateversions/${version}`,
    );
    expect(`${refused.status} ${refused.body}`).toMatch(/^400 .*is the default version of its template/);
    await kubectl.do('delete vmtemplate golden');
    await kubectl.do(`wait vmtemplateversion/${version} --for=delete --timeout=60s`);
  }, 180_000);

  it('of KubeVirt is made of a VM by `vireo template create`, and a VM is made of it', async () => {
    const template = (...words: string[]) =>
      runVireo(['template', ...words, '--kubeconfig', join(vireo.home(), 'kubeconfig')]);
    expect(await template('create', '--vm-name', 'second', '--name', 'silver')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^virtualmachinetemplaterequest\.template\.kubevirt\.io\/second-\w+ created\n$/),
    });
    await kubectl.do('wait vmtr --all --for=condition=Ready --timeout=90s');
    await kubectl.do('wait vmt/silver --for=condition=Ready --timeout=30s');
    const { output } = await template('process', 'silver', '-p', 'NAME=shown', '-o', 'json');
    expect(JSON.parse(output)).toMatchObject({ metadata: { name: 'shown' } });
    expect(await template('process', 'silver', '--create', '-p', 'NAME=fifth')).toMatchObject({
      code: 0,
      output: expect.stringContaining('name: fifth'),
    });
    await kubectl.do(`patch vm fifth --type=merge -p '{"spec":{"runStrategy":"Always"}}'`);
    await untilBooted('fifth');
    expect(await template('process', 'silver')).toMatchObject({
      code: 1,
      output: expect.stringContaining("parameter 'NAME' is required and a value must be specified"),
    });
  }, 180_000);

  it('has key pairs, whose private key is returned once', async () => {
    const { status, body } = await call('POST', `${ACTIONS}/${namespace}/keypairs/mine/keygen`);
    expect({ status, body: String(body) }).toEqual({
      status: 200,
      body: expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----\n[\s\S]*-----END RSA PRIVATE KEY-----\n$/),
    });
    const file = join(vireo.home(), 'mine.pem');
    await writeFile(file, body, { mode: 0o600 });
    const { stdout } = await promisify(execFile)('ssh-keygen', ['-E', 'md5', '-lf', file]);
    const fingerprint = /MD5:(\S+)/.exec(stdout)?.[1];
    await kubectl.do(`wait keypair/mine --for=jsonpath={.status.fingerPrint}=${fingerprint} --timeout=30s`);
  });

  it('is limited in its snapshots by a quota', async () => {
    // With the snapshot of its claim from above.
    const quota = { totalSnapshotSizeQuota: '5Mi' };
    expect(await act(`${namespace}/virtualmachines/second/updateResourceQuota`, quota)).toBe('204');
    const snapshot = (name: string) => act(`${namespace}/virtualmachines/second/snapshot`, { name });
    expect(await snapshot('fits')).toBe('204');
    await kubectl.do('wait vmsnapshot/fits --for=jsonpath={.status.readyToUse}=true --timeout=60s');
    await kubectl.until('get vm second -o jsonpath={.status.snapshotInProgress}', /^$/);
    expect(await snapshot('does-not')).toMatch(/^403 .*requested: 2Mi, used: 4Mi, limited: 5Mi/);
    expect(await act(`${namespace}/virtualmachines/second/deleteResourceQuota`)).toBe('204');
    expect(await snapshot('does')).toBe('204');
  }, 120_000);
});

describe('what is collected for whoever helps', () => {
  const expectWhole = (files: Map<string, Buffer>): void => {
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'host/state.json',
        'host/hypervisor.json',
        'logs/vireo.log',
        'logs/libvirtd.log',
        'logs/guests/default_first.log',
        'domains/default_first.xml',
        'objects/kubevirt.io/virtualmachines.json',
        'objects/core/events.json',
        'objects/harvesterhci.io/settings.json',
        'objects/harvesterhci.io/keypairs.json',
        'objects/template.kubevirt.io/virtualmachinetemplates.json',
      ]),
    );
    expect(files.get('domains/default_first.xml')?.toString()).toContain('<domain type=');
    expect([...files.values()].map(String).join('\n')).not.toMatch(/geheim|PRIVATE KEY/);
  };

  it('is the archive of an upgrade log', async () => {
    await kubectl.do('create secret generic hidden --from-literal=password=geheim');
    const keys = { accessKeyId: 'geheim', secretAccessKey: 'geheim' };
    const target = { type: 's3', endpoint: 'http://127.0.0.1:1', bucketName: 'backups', bucketRegion: 'r', ...keys };
    await kubectl.until('get setting backup-target -o name', /backup-target/);
    const patch = JSON.stringify({ value: JSON.stringify(target) });
    await kubectl.do(`patch setting backup-target --type=merge -p '${patch}'`);
    await vireo.create(
      JSON.stringify({
        apiVersion: 'template.kubevirt.io/v1beta1',
        kind: 'VirtualMachineTemplate',
        metadata: { name: 'secretive' },
        spec: { parameters: [{ name: 'PASSWORD', value: 'geheim' }], virtualMachine: {} },
      }),
    );
    await vireo.create(
      JSON.stringify({
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'UpgradeLog',
        metadata: { name: 'log' },
        spec: {},
      }),
    );
    await kubectl.do('wait upgradelog/log --for=condition=Started --timeout=30s');
    expect(await act('namespaces/default/upgradelogs/log/generate')).toBe('200');
    await kubectl.do('wait upgradelog/log --for=condition=DownloadReady --timeout=30s');
    // As the seed of the API writes it.
    const { status, body } = await call('GET', '/v1/harvester/upgradeslogs/default/log/download');
    expect(status).toBe(200);
    expectWhole(unzip(body));
  });

  it('is a file of the user’s own', async () => {
    const file = join(vireo.home(), 'support.zip');
    const { output, code } = await runVireo(['support-bundle', '--home', vireo.home(), '-f', file]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^Wrote .*support\.zip \(\d+ KiB\)/) });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const files = unzip(await readFile(file));
    expectWhole(files);
    expect(String(files.get('metrics.txt'))).toMatch(/^kubevirt_vm_info\{name="first",.* 1$/m);
    expect(JSON.parse(String(files.get('host/hypervisor.json')))).toEqual({
      libvirt: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      qemu: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(JSON.parse(String(files.get('objects/core/secrets.json')))).toContainEqual(
      expect.objectContaining({ data: { password: '<removed>' } }),
    );
    const again = await runVireo(['support-bundle', '--home', vireo.home(), '-f', file]);
    expect(again.output).toContain('already exists');
  });
});
