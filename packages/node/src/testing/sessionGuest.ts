/** Run by a test as another user: the life of one VM, told line by line. */
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigMap, conditionOf, Node, Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { dialWithin } from '../api/dialWithin.ts';
import { livingDaemons } from '../filesystems/daemons.ts';
import { bootSectorMarker } from '../guestImage/bootSectorGuest.ts';
import { withDescendants } from '../limits/descendants.ts';
import { guestPid } from '../shutdown/guestProcesses.ts';
import { vmiUid } from '../vmi/launcher.ts';
import { ApiClient } from './apiClient.ts';
import { NAMESPACE, startTestCluster } from './cluster.ts';
import { bootSectorVm } from './vms.ts';

/** The VM with a ConfigMap as a directory. */
function withDirectory(vm: VirtualMachine): VirtualMachine {
  const { template } = vm.spec;
  const { domain, volumes = [], ...spec } = template.spec as NonNullable<typeof template.spec>;
  const devices = { ...domain.devices, filesystems: [{ name: 'settings', virtiofs: {} }] };
  const added = { name: 'settings', configMap: { name: 'settings' } };
  const changed = { ...spec, domain: { ...domain, devices }, volumes: [...volumes, added] };
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec: changed } } };
}

const cluster = await startTestCluster();
try {
  const api = await ApiClient.listen(() => cluster.node, cluster.layout.run);
  const say = (words: string): void => console.log(words);
  say(`uid ${process.getuid?.()}, ${cluster.layout.uri}`);
  await cluster.admin
    .of(ConfigMap)
    .create({ metadata: { name: 'settings', namespace: NAMESPACE }, data: { key: 'it' } });
  await cluster.admin.of(VirtualMachine).create(withDirectory(bootSectorVm('mine')));
  const { metadata, status } = await cluster.vmis.until('mine', (vmi) => vmi.status?.phase === 'Running');
  say(`runs as ${status?.runtimeUser}`);
  const [daemon] = await livingDaemons(join(cluster.layout.vmis, metadata.uid));
  // The last process that it has started is the one that serves.
  const serving = (await withDescendants(daemon?.pid ?? 0)).at(-1);
  const served = await readFile(`/proc/${serving}/root/key`, 'utf8').catch((error: Error) => error.message);
  say(`shares ${served}, as ${(await stat(`/proc/${serving}`)).uid}`);
  const stream = await api.open('mine', 'console');
  stream.send('hello');
  await stream.until('hello');
  say('console answers');
  const port = await api.open('mine', 'portforward/22/tcp');
  port.socket.close();
  say('port is reached');
  // What listens here is what the guest would find at 10.0.2.2.
  const host = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const target = { host: '127.0.0.1', port: (host.address() as AddressInfo).port };
  const reached = dialWithin(await guestPid(cluster.layout, `${NAMESPACE}/mine`), 'tcp', target);
  const loopback = await reached.then(
    (socket) => {
      socket.destroy();
      return 'open';
    },
    () => 'closed',
  );
  host.close();
  const node = await cluster.admin.of(Node).get('node-1');
  const { status: isOpen, reason } = conditionOf(node, 'HostLoopbackReachable') ?? {};
  say(`loopback is ${loopback}, said to be ${isOpen === 'True' ? 'open' : 'closed'} by ${reason}`);
  const { items } = await cluster.admin.of(Pod).list({ namespace: NAMESPACE });
  const launcher = items.find((pod) => vmiUid(pod) === metadata.uid);
  const log = await api.get(`/containerLogs/${NAMESPACE}/${launcher?.metadata.name}/compute`);
  say(`log has the marker: ${log.body.toString().includes(bootSectorMarker)}`);
  await cluster.admin.of(VirtualMachine).delete('mine', { namespace: NAMESPACE });
  await cluster.vms.gone('mine');
  say(`guests left: ${(await cluster.guests()).length}`);
  await api[Symbol.asyncDispose]();
} finally {
  await cluster.close();
}
