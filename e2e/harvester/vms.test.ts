import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { certificates } from '../vireo.ts';
import { useVms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { type PlainAnswer, type PlainOptions, plainHttpFor } from './plainHttp.ts';

const vms = useVms();
const { kubectl, untilStatus } = vms;

const ask = (path: string, options?: PlainOptions): Promise<PlainAnswer> =>
  plainHttpFor(vms.home(), vms.server().port)(path, options);
const STEVE = '/v1/harvester/kubevirt.io.virtualmachines/default/web';
const SUBRESOURCES = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/web';

/** Calls an action and gives the status, with what a refusal says. */
async function act(path: 'steve' | 'subresource', action: string, body?: object): Promise<string> {
  const options = { method: 'POST', ...(body && { data: JSON.stringify(body) }) } as const;
  const answer = await ask(path === 'steve' ? `${STEVE}?action=${action}` : `${SUBRESOURCES}/${action}`, options);
  return `${answer.status} ${answer.body}`.trim();
}

/** What the VM can do now, as a page of buttons would ask. */
async function offered(): Promise<string[]> {
  const { body } = await ask(STEVE);
  return Object.keys((JSON.parse(body) as { actions?: object }).actions ?? {}).sort();
}

const ALWAYS = ['addVolume', 'clone', 'createTemplate', 'deleteResourceQuota', 'removeVolume', 'updateResourceQuota'];

/** A VM that users may lend USB devices. */
function lendable(manifest: string): string {
  const vm = JSON.parse(manifest) as { spec: { template: { spec: { domain: { devices: object } } } } };
  Object.assign(vm.spec.template.spec.domain.devices, { clientPassthrough: {} });
  return JSON.stringify(vm);
}

beforeAll(async () => {
  await vms.create(
    lendable(vm('web', { runStrategy: 'Halted', graceSeconds: 120, guest: 'deaf' })),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'more' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
    }),
  );
});

describe('a guest', () => {
  it('is started, and offered what runs can be done to', async () => {
    await untilStatus('web', 'Stopped');
    expect(await offered()).toEqual([...ALWAYS, 'snapshot', 'start'].sort());
    expect(await act('steve', 'start')).toBe('204');
    await untilStatus('web', 'Running');
    expect(await offered()).toEqual([...ALWAYS, 'addNic', 'pause', 'restart', 'snapshot', 'softreboot', 'stop'].sort());
    expect(await act('subresource', 'start')).toContain('VM is already running');
  }, 120_000);

  it('is held and goes on', async () => {
    expect(await act('subresource', 'pause')).toBe('204');
    await untilStatus('web', 'Paused');
    expect(await offered()).toContain('unpause');
    expect(await act('steve', 'pause')).toMatch(/^409 .*VMI is already paused$/);
    expect(await act('steve', 'unpause')).toBe('204');
    await untilStatus('web', 'Running');
  });

  it('is lent a USB device by usbredir', async () => {
    const pki = await certificates(vms.home(), ['ca.crt', 'admin.crt', 'admin.key']);
    const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/usbredir';
    const socket = new WebSocket(`wss://127.0.0.1:${vms.server().port}${path}`, 'plain.kubevirt.io', {
      ca: pki['ca.crt'],
      cert: pki['admin.crt'],
      key: pki['admin.key'],
    });
    const hello = await new Promise<string>((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(data.toString('latin1')));
      socket.once('error', reject);
    });
    socket.close();
    expect(hello).toContain('qemu usb-redir guest');
  });

  it('gets a disk and loses it while it runs', async () => {
    const volumes = 'get vmi web -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"';
    expect(await act('subresource', 'addVolume', { diskName: 'more', volumeSourceName: 'more' })).toBe('204');
    await kubectl.until(volumes, /more=Ready/);
    expect(await act('steve', 'removeVolume', { DiskName: 'more' })).toBe('204');
    await kubectl.until(volumes, /^(?!.*more=)/);
    expect(await kubectl('get pvc more -o name')).toBe('persistentvolumeclaim/more');
  }, 120_000);

  it('is started anew', async () => {
    const before = await vms.uidOf('web');
    expect(await act('steve', 'restart')).toBe('204');
    await untilStatus('web', 'Stopping');
    // It does not hear its power button; whoever sits at its console can help.
    await vms.type('web', 'p');
    await vms.untilReplaced('web', before);
  }, 120_000);

  it('that does not listen is stopped, and then by force', async () => {
    expect(await act('subresource', 'stop')).toBe('204');
    await untilStatus('web', 'Stopping');
    expect(await offered()).toContain('forceStop');
    expect(await act('steve', 'forceStop')).toBe('204');
    await untilStatus('web', 'Stopped');
    expect(await kubectl('get vm web -o jsonpath={.spec.runStrategy}')).toBe('Halted');
  }, 120_000);
});
