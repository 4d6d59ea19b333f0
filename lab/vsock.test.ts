import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { startTestCluster } from '@vireo/node/testing/cluster.ts';
import { bootSectorVm } from '@vireo/node/testing/vms.ts';
import { dialRaw } from '@vireo/node/vsock/carrier.ts';
import { vsockAddress } from '@vireo/node/vsock/vsock.ts';
import { expect, it } from 'vitest';
import { isLab } from './capabilities.ts';

/** The context ID by which a host reaches itself. */
const LOOPBACK = 1;
/** Says back, in capitals, what comes on a VSOCK port that it says first. */
const SERVER = `
import socket
server = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
server.bind((socket.VMADDR_CID_ANY, 0xffffffff))
server.listen()
print(server.getsockname()[1], flush=True)
connection = server.accept()[0]
connection.sendall(connection.recv(100).upper())
`;

it.skipIf(!isLab)('bytes are carried to a VSOCK port and back', async () => {
  execFileSync('modprobe', ['vsock_loopback']);
  const server = spawn('python3', ['-c', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const stream = await dialRaw(vsockAddress(LOOPBACK, Number(line)));
  stream.write('hello');
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('HELLO');
  await expect(dialRaw(vsockAddress(LOOPBACK, Number(line)))).rejects.toThrow('Connection reset by peer');
});

it.skipIf(!isLab)('a guest has the context ID that its VMI says', async () => {
  execFileSync('modprobe', ['vhost_vsock']);
  const cluster = await startTestCluster();
  try {
    const configuration = { developerConfiguration: { useEmulation: true, featureGates: ['VSOCK'] } };
    const kubevirt = { namespace: 'kubevirt', type: 'merge' } as const;
    await cluster.admin.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, kubevirt);
    const vm = bootSectorVm('talker');
    const devices = vm.spec.template.spec?.domain.devices;
    if (devices) Object.assign(devices, { autoattachVSOCK: true });
    await cluster.admin.of(VirtualMachine).create(vm);
    const { metadata, status } = await cluster.vmis.until('talker', (vmi) => vmi.status?.phase === 'Running');
    expect(status?.VSOCKCID).toBeGreaterThanOrEqual(3);
    const [pid] = await cluster.guests();
    const words = execFileSync('cat', [`/proc/${pid}/cmdline`])
      .toString()
      .split('\0');
    expect(words.join(' ')).toContain(`"guest-cid":${status?.VSOCKCID}`);
    await cluster.admin.of(VirtualMachine).delete('talker', { namespace: metadata.namespace });
    await cluster.vmis.gone('talker');
  } finally {
    await cluster.close();
  }
});
