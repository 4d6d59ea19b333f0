/** Run by a test as another user: the life of one VM, told line by line. */
import { Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { bootSectorMarker } from '../guestImage/bootSectorGuest.ts';
import { vmiUid } from '../vmi/launcher.ts';
import { ApiClient } from './apiClient.ts';
import { NAMESPACE, startTestCluster } from './cluster.ts';
import { bootSectorVm } from './vms.ts';

const cluster = await startTestCluster();
try {
  const api = await ApiClient.listen(() => cluster.node, cluster.layout.run);
  const say = (words: string): void => console.log(words);
  say(`uid ${process.getuid?.()}, ${cluster.layout.uri}`);
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('mine'));
  const { metadata, status } = await cluster.vmis.until('mine', (vmi) => vmi.status?.phase === 'Running');
  say(`runs as ${status?.runtimeUser}`);
  const stream = await api.open('mine', 'console');
  stream.send('hello');
  await stream.until('hello');
  say('console answers');
  const port = await api.open('mine', 'portforward/22/tcp');
  port.socket.close();
  say('port is reached');
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
