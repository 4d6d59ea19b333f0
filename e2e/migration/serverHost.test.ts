import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Role, startRole } from '../cluster/role.ts';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, typeVireo, type Vireo } from '../vireo.ts';
import { guestsOf, socketsOf } from '../vms/leftovers.ts';
import { isWhole } from './specs.ts';

const READY = /^The node (\S+) is ready after .* reaches it at (\S+)$/m;

const manifest = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: { name: mobile }
spec:
  evictionStrategy: LiveMigrate
  terminationGracePeriodSeconds: 60
  domain:
    memory: { guest: 16Mi }
    devices:
      autoattachPodInterface: false
      disks: [{ name: boot, disk: { bus: virtio } }]
  volumes: [{ name: boot, containerDisk: { image: vireo/boot-sector } }]
`;

describe.runIf(isWhole && process.getuid?.() === 0)('the host of the server', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  let server: Vireo;
  let kubectl: Kubectl;
  let role: Role | undefined;
  const second = (): string => join(home.home, 'second');
  beforeAll(async () => {
    home = await temporaryHome();
    server = await startVireo({ home: home.home, vms: true });
    kubectl = kubectlFor(server.kubeconfig, join(home.home, 'kubectl-cache'));
    await kubectl.do('apply -f -', { input: manifest });
    await kubectl.do('wait vmi/mobile --for=condition=LiveMigratable --timeout=180s');
    const words = (await typeVireo('token create', server.kubeconfig)).split(' ').slice(1);
    role = await startRole([...words, '--home', second(), '--node-name', 'second', '--port', '0'], READY);
  }, 300_000);
  afterAll(async () => {
    await role?.end();
    await server?.stop();
    for (const each of [second(), home.home]) await runVireo(['down', '--force', '--home', each]);
    await rm(socketsOf(second()), { recursive: true, force: true });
    await home?.remove();
  }, 120_000);

  it('has VMs move to other hosts before it ends, and takes the server down last', async () => {
    const { code, output } = await runVireo(['down', '--home', home.home]);
    expect(code, output).toBe(0);
    expect(output).toContain('Moved 1 VM to other nodes.');
    expect(await guestsOf(second())).toHaveLength(1);
    // The home of the second host is below this one.
    expect(await guestsOf(join(home.home, 'machines'))).toEqual([]);
  }, 240_000);
});
