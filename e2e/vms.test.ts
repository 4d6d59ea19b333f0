import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from './vireo.ts';

/** A guest of 512 bytes: it says hello on its console and obeys the power button. */
const TINY = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: { name: tiny }
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: { guest: 64Mi }
        devices: { disks: [{ name: root, disk: { bus: virtio } }] }
      volumes: [{ name: root, containerDisk: { image: vireo/boot-sector } }]
`;

let home: string;
let removeHome: () => Promise<void>;
let vireo: Vireo;
let kubectl: Kubectl;

beforeAll(async () => {
  ({ home, remove: removeHome } = await temporaryHome());
  vireo = await startVireo({ home, vms: true });
  kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
}, 120_000);

afterAll(async () => {
  // Guests and their daemon belong to the home, not to the server that started them.
  await runVireo(['down', '--force', '--home', home]);
  await removeHome?.();
}, 120_000);

describe('a virtual machine', () => {
  it('runs on this host, as its tables and its console say', async () => {
    expect(await kubectl('apply -f -', { input: TINY })).toBe('virtualmachine.kubevirt.io/tiny created');
    await kubectl.do('wait vm/tiny --for=condition=Ready --timeout=60s');
    expect(await kubectl('get vm')).toMatch(/NAME +AGE +STATUS +READY\ntiny +\S+ +Running +True/);
    expect(await kubectl('get vmi')).toMatch(/tiny +\S+ +Running +.* +True/);
    expect(await kubectl('get pods')).toMatch(/virt-launcher-tiny-\w+ +1\/1 +Running +0/);
    await kubectl.until('logs -l kubevirt.io=virt-launcher --tail=-1', /vireo: boot sector ready/);
  }, 120_000);

  it('is not touched by the end of the server, however it comes', async () => {
    const uid = (await kubectl.run("get vmi tiny -o 'jsonpath={.metadata.uid}'")).stdout;
    expect(uid).not.toBe('');
    await vireo.kill();
    vireo = await startVireo({ home, vms: true });
    kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
    expect((await kubectl.run("get vmi tiny -o 'jsonpath={.metadata.uid} {.status.phase}'")).stdout).toBe(
      `${uid} Running`,
    );
  }, 120_000);

  it('is stopped and started by its run strategy', async () => {
    await kubectl.do('patch vm tiny --type=merge -p \'{"spec":{"runStrategy":"Halted"}}\'');
    await kubectl.until('get vm tiny -o jsonpath={.status.printableStatus}', 'Stopped');
    await kubectl.until('get vmi', 'No resources found in default namespace.');
    await kubectl.do('patch vm tiny --type=merge -p \'{"spec":{"runStrategy":"Always"}}\'');
    await kubectl.until('get vm tiny -o jsonpath={.status.printableStatus}', 'Running');
  }, 120_000);

  it('with a mistake is refused by name of the field', async () => {
    const mistaken = TINY.replace('name: tiny', 'name: wrong').replace(
      'name: root, containerDisk',
      'name: other, containerDisk',
    );
    expect(await kubectl('apply -f -', { input: mistaken })).toContain(
      'spec.template.spec.domain.devices.disks[0].name',
    );
  });

  it('goes with everything that belongs to it', async () => {
    expect(await kubectl('delete vm tiny')).toBe('virtualmachine.kubevirt.io "tiny" deleted');
    expect(await kubectl('get vm,vmi,pods')).toBe('No resources found in default namespace.');
  }, 120_000);
});
