import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { vm as manifest } from '../vms/manifests.ts';
import { countingDisk } from './countingGuest.ts';
import { sendUpload, tokenFor } from './upload.ts';

const run = promisify(execFile);
const vireo = useVms();
const { kubectl } = vireo;

/** Serves the counting disk as qcow2, and breaks off in the middle of the first answer. */
let web: Server;
let url: string;
let image: Buffer;

beforeAll(async () => {
  const [raw, qcow2] = [join(vireo.home(), 'counting.raw'), join(vireo.home(), 'counting.qcow2')];
  await writeFile(raw, countingDisk());
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2]);
  image = await readFile(qcow2);
  await rm(raw);
  let answers = 0;
  web = createServer((request, response) => {
    answers++;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = { 'content-range': `bytes ${from}-${image.length - 1}/${image.length}` };
    response.writeHead(from ? 206 : 200, { etag: '"1"', 'content-length': image.length - from, ...(from && range) });
    if (answers > 1) response.end(image.subarray(from));
    else response.write(image.subarray(0, 100_000), () => response.destroy());
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/counting.qcow2`;
}, 60_000);
afterAll(() => void web?.close());

/** A VM that boots from a DataVolume or claim. */
const vm = (name: string, root: object, more: object = {}): string => manifest(name, { root, vmSpec: more });

const template = (name: string, source: object, storage: object = {}): object => ({
  metadata: { name },
  spec: { source, storage: { resources: { requests: { storage: '16Mi' } }, ...storage } },
});

const untilCounted = (name: string, count: number): Promise<unknown> =>
  kubectl.until(`logs -l vm.kubevirt.io/name=${name} --tail=-1`, new RegExp(`counted boots: ${count}`));

const setRunning = (name: string, strategy: 'Always' | 'Halted'): Promise<unknown> =>
  kubectl.do(`patch vm ${name} --type=merge -p '{"spec":{"runStrategy":"${strategy}"}}'`);

describe('a VM on a disk from the web', () => {
  it('boots when the import is done, although that broke off', async () => {
    await vireo.create(
      vm(
        'web',
        { dataVolume: { name: 'web-root' } },
        { dataVolumeTemplates: [template('web-root', { http: { url } })] },
      ),
    );
    await vireo.untilStatus('web', 'Running');
    await untilCounted('web', 1);
    expect(await kubectl('get dv web-root')).toMatch(/web-root +Succeeded +100.0% +/);
    expect(await kubectl('get pvc web-root')).toMatch(/web-root +Bound +pvc-\S+ +16Mi +RWO +local/);
    expect(await kubectl('get events --field-selector involvedObject.name=web-root')).toContain('ImportSucceeded');
  }, 120_000);

  it('finds what it wrote after a stop and a start', async () => {
    await setRunning('web', 'Halted');
    await vireo.untilStatus('web', 'Stopped');
    await setRunning('web', 'Always');
    await untilCounted('web', 2);
  }, 120_000);

  it('and after Vireo was killed and started again', async () => {
    await vireo.server().kill();
    await vireo.startAgain();
    const uid = await vireo.uidOf('web');
    await kubectl.do('delete vmi web --wait=false');
    await vireo.untilReplaced('web', uid);
    await untilCounted('web', 3);
  }, 120_000);

  it('has its disk for itself', async () => {
    await vireo.create(vm('thief', { persistentVolumeClaim: { claimName: 'web-root' } }));
    await kubectl.until(
      'get vmi thief -o jsonpath={.status.conditions[*].message}',
      /PersistentVolumeClaim default\/web-root is in use by VirtualMachineInstance web: only one VM can write to a disk/,
    );
    await kubectl.do('delete vm thief --timeout=60s');
  }, 120_000);

  it('takes its disk along when it goes', async () => {
    await kubectl.do('delete vm web --timeout=60s');
    await kubectl.until('get pv,pvc,dv', 'No resources found');
    expect(await readdir(join(vireo.home(), 'volumes'))).toEqual([]);
  }, 120_000);
});

const upload = async (claim: string, data: Buffer) => sendUpload(vireo, await tokenFor(vireo, claim), data);

describe('a disk that is uploaded', () => {
  const dataVolume = (name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata: { name }, spec });

  it('is what a VM that waited for it boots from', async () => {
    const size = { resources: { requests: { storage: '4Mi' } } };
    await vireo.create(dataVolume('uploaded', { source: { upload: {} }, storage: size }));
    await vireo.create(vm('patient', { dataVolume: { name: 'uploaded' } }));
    await vireo.untilStatus('patient', 'Provisioning');
    await kubectl.until('get dv uploaded -o jsonpath={.status.phase}', 'UploadReady');
    const tooLarge = await upload('uploaded', Buffer.alloc(5 << 20, 1));
    expect(tooLarge).toEqual({ status: 400, body: expect.stringContaining('larger than the 4 MiB of the claim') });
    expect(await upload('uploaded', image)).toEqual({ status: 200, body: '' });
    await untilCounted('patient', 1);
  }, 120_000);

  it('can be copied once nobody writes to it, to a class that waits for the VM', async () => {
    await setRunning('patient', 'Halted');
    await vireo.untilStatus('patient', 'Stopped');
    const source = { pvc: { namespace: 'default', name: 'uploaded' } };
    const templates = [template('copy-root', source, { storageClassName: 'local-wait' })];
    await vireo.create(vm('copy', { dataVolume: { name: 'copy-root' } }, { dataVolumeTemplates: templates }));
    await untilCounted('copy', 2);
    expect(await kubectl('get dv copy-root -o jsonpath={.status.phase}')).toBe('Succeeded');
  }, 120_000);

  it('is plugged into a VM that runs, and taken out again', async () => {
    await vireo.create(
      dataVolume('extra', { source: { blank: {} }, storage: { resources: { requests: { storage: '8Mi' } } } }),
    );
    await kubectl.until('get dv extra -o jsonpath={.status.phase}', 'Succeeded');
    const act = (action: string, body: object): Promise<{ stdout: string; stderr: string }> =>
      kubectl.run(
        `replace --raw /apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/copy/${action} -f -`,
        {
          input: JSON.stringify(body),
        },
      );
    const options = { name: 'extra', disk: { disk: { bus: 'scsi' } }, volumeSource: { dataVolume: { name: 'extra' } } };
    await act('addvolume', options);
    const status = "get vmi copy -o 'jsonpath={range .status.volumeStatus[*]}{.name}={.phase}/{.target} {end}'";
    await kubectl.until(status, /extra=Ready\/sda/);
    expect(await kubectl('get vm copy -o jsonpath={.status.conditions[*].type}')).not.toContain('RestartRequired');
    expect((await act('addvolume', options)).stderr).toContain('volume with that name already exists');
    await act('removevolume', { name: 'extra' });
    await kubectl.until(status, /^root=\/vda *$/);
    expect(await kubectl("get vm copy -o 'jsonpath={.spec.template.spec.volumes[*].name}'")).toBe('root');
  }, 120_000);

  it('that does not exist is named', async () => {
    await vireo.create(vm('lost', { persistentVolumeClaim: { claimName: 'nowhere' } }));
    await vireo.untilStatus('lost', 'ErrorPvcNotFound');
    await kubectl.do('delete vm --all --timeout=60s');
    await kubectl.do('delete dv --all --timeout=60s');
  }, 120_000);
});

describe('a VM on a disk in a shared directory', () => {
  it('boots, and its disk belongs to its guest alone while it runs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vireo-shared-'));
    try {
      await chmod(directory, 0o711);
      const example = await readFile(new URL('../../examples/storage-class-shared.yaml', import.meta.url), 'utf8');
      await vireo.create(example.replace('/mnt/vms', directory));
      await kubectl.until("get storageclass shared -o 'jsonpath={.metadata.annotations}'", /"ready on /);
      const root = template('common-root', { http: { url } }, { storageClassName: 'shared' });
      await vireo.create(vm('common', { dataVolume: { name: 'common-root' } }, { dataVolumeTemplates: [root] }));
      await vireo.untilStatus('common', 'Running');
      await untilCounted('common', 1);
      expect(await kubectl('get pvc common-root')).toMatch(/common-root +Bound +pvc-\S+ +16Mi +RWX +shared/);
      const [volume = ''] = (await readdir(directory)).filter((name) => name.startsWith('pvc-'));
      const { uid, mode } = await stat(join(directory, volume, 'disk.img'));
      expect(mode & 0o777).toBe(0o600);
      if (process.getuid?.() === 0) expect(uid).not.toBe(0);
      await kubectl.do('delete vm common');
      await kubectl.until(`get pv ${volume}`, /not found/);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }, 120_000);
});
