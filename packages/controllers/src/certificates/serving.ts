import { isIP } from 'node:net';
import type { CertificateSigningRequest, Node, NodeAddress, Service } from '@vireo/api';
import { AGENT_VERSION_SUFFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import { signerProblem } from '@vireo/kube';
import type { ParsedRequest } from '@vireo/kube/certificates/parse.ts';
import { addressBytes } from '@vireo/kube/serving/certificate.ts';
import type { Decision } from './decide.ts';

/** What the serving certificate of a node depends on. */
export interface ServingSurroundings {
  readonly node: Pick<Node, 'status'> | undefined;
  /** Nodes and Services that may have a name or an address that is asked for; missing where that does not count. */
  readonly nodes?: readonly Node[];
  readonly services?: readonly Service[];
}

/** Whether a Node is one of Vireo's; undefined while it does not say. */
export function isVireoNode(node: Pick<Node, 'status'> | undefined): boolean | undefined {
  const version = node?.status?.nodeInfo?.kubeletVersion;
  return version ? version.endsWith(AGENT_VERSION_SUFFIX) : undefined;
}

/** What becomes of a node's own request for a certificate to serve with. */
export function decideServing(
  spec: CertificateSigningRequest['spec'],
  parsed: ParsedRequest,
  name: string,
  { node, nodes = [], services = [] }: ServingSurroundings,
): Decision | undefined {
  const isOurs = isVireoNode(node);
  // Kubelets of others have approvers of others, or none on purpose.
  if (isOurs === false) return undefined;
  if (!isOurs || !node) return { wait: `node ${name} does not say what it is yet` };
  const problem =
    signerProblem(spec.signerName, parsed, spec.usages ?? []) ??
    parsed.dnsNames.map(reservedProblem).find((each) => each !== undefined) ??
    ownedProblem(parsed, name, node, nodes, services);
  if (problem) return { deny: problem };
  const foreign = foreignNames(parsed, node.status?.addresses ?? []);
  // The Node may learn of the address in a moment.
  if (foreign.length > 0) return { wait: `${foreign.join(', ')} is no address of node ${name}` };
  return { approve: `the node ${name} asks for a certificate for its addresses` };
}

/** Names that lead to Services, to the API server or to everybody's own host are no host's. */
function reservedProblem(dnsName: string): string | undefined {
  const name = dnsName.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  const isReserved =
    name.includes('*') ||
    ['localhost', 'svc'].includes(labels.at(-1) ?? '') ||
    ['kubernetes', 'localhost'].includes(labels[0] ?? '') ||
    // SERVICE.NAMESPACE.svc, in whichever domain the cluster has.
    labels[2] === 'svc' ||
    `.${name}`.endsWith('.cluster.local');
  return isReserved ? `${dnsName} is no name of a host` : undefined;
}

/** Whose a name or an address is, where it is not the node's alone. Nodes of one host share its names and addresses. */
function ownedProblem(
  { dnsNames, ipAddresses }: ParsedRequest,
  name: string,
  own: Pick<Node, 'status'>,
  nodes: readonly Node[],
  services: readonly Service[],
): string | undefined {
  const asked = new Set([...dnsNames.map((each) => each.toLowerCase()), ...ipAddresses.map(canonical)]);
  const machineId = own.status?.nodeInfo?.machineID;
  for (const { metadata, status } of nodes) {
    if (metadata.name === name || (machineId && status?.nodeInfo?.machineID === machineId)) continue;
    const theirs = [{ type: 'Hostname', address: metadata.name ?? '' }, ...(status?.addresses ?? [])];
    const taken = theirs.find((each) => asked.has(isIp(each) ? canonical(each.address) : each.address.toLowerCase()));
    if (taken)
      return (
        `${taken.address} belongs to node ${metadata.name}. If that node is gone for good, delete it: ` +
        `\`vireo node delete ${metadata.name}\``
      );
  }
  const service = services.find(({ spec }) => clusterIpsOf(spec).some((ip) => asked.has(canonical(ip))));
  return service && `an address is that of the Service ${service.metadata.namespace}/${service.metadata.name}`;
}

const clusterIpsOf = (spec: Service['spec']): string[] =>
  [...new Set([spec?.clusterIP ?? '', ...(spec?.clusterIPs ?? [])])].filter((ip) => ip !== '' && ip !== 'None');

/** Names and addresses of a request that the Node does not have. */
function foreignNames({ dnsNames, ipAddresses }: ParsedRequest, addresses: readonly NodeAddress[]): string[] {
  const ips = new Set(addresses.filter(isIp).map(({ address }) => canonical(address)));
  const names = new Set(addresses.filter((each) => !isIp(each)).map(({ address }) => address));
  return [...dnsNames.filter((name) => !names.has(name)), ...ipAddresses.filter((ip) => !ips.has(canonical(ip)))];
}

const isIp = ({ type }: NodeAddress): boolean => type.endsWith('IP');

const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');
/** An address in any spelling; `::ffff:10.0.0.1` is 10.0.0.1 to whoever checks certificates. */
function canonical(ip: string): string {
  // A Node can say anything of itself.
  if (isIP(ip) === 0) return ip;
  const bytes = addressBytes(ip);
  const isMapped = bytes.length === 16 && bytes.subarray(0, MAPPED.length).equals(MAPPED);
  return (isMapped ? bytes.subarray(MAPPED.length) : bytes).toString('hex');
}
