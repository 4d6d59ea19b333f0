/** The node agent as a process of its own, which a test can kill. Its options come as JSON in the first argument. */
import { Client, consoleLog, httpTransport, staticCredentials } from '@vireo/kube';
import { capabilityCache } from '@vireo/libvirt/testing/capabilityCache.ts';
import { startHypervisor } from '../libvirtd/hypervisor.ts';
import { startNode } from '../startNode.ts';

export interface AgentOptions {
  readonly home: string;
  readonly name: string;
  readonly server: string;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly key: string;
}

const { home, name, server, certificateAuthority, certificate, key } = JSON.parse(
  process.argv[2] ?? '{}',
) as AgentOptions;
const transport = httpTransport({
  server,
  certificateAuthority,
  credentials: staticCredentials({ certificate, key }),
});
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const kvm = { isUsable: false, reason: 'the test says so' };
const hypervisor = startHypervisor(home, consoleLog, { capabilityCache });
// The administrator's: what the two users of a node may do, other tests show.
const client = new Client(transport);
const node = await startNode({ home, name, kvm, hypervisor, client, kubelet: client }, stop.signal);
console.log('the agent is ready');
await node.ended;
await transport.close();
