import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { Node } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';

/** Where a node listens. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Where a Node says that its agent listens; undefined: it does not say so. */
export function endpointOf({ status }: Pick<Node, 'status'>): NodeEndpoint | undefined {
  const host = status?.addresses?.find(({ type, address }) => type === 'InternalIP' && isIP(address) !== 0)?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  return host && port ? { host, port } : undefined;
}

/**
 * Why a certificate that the cluster's authority has signed is not that of a node: whoever has another node's, or one for
 * another address, is not the node.
 */
export function nodeCertificateProblem(name: string, host: string, shown: PeerCertificate): Error | undefined {
  const subject = (shown.subject ?? {}) as unknown as Readonly<Record<'CN' | 'O', string | string[] | undefined>>;
  const [names, groups, wanted] = [[subject.CN ?? []].flat(), [subject.O ?? []].flat(), kubeletUser(name)];
  if (names.length !== 1 || names[0] !== wanted || !groups.includes(KUBELET_GROUP))
    return new Error(
      `the certificate at ${host} is for ${JSON.stringify(names.join(', '))} instead of ${JSON.stringify(wanted)}`,
    );
  if (new X509Certificate(shown.raw).checkIP(host) === undefined)
    return new Error(`the certificate of ${wanted} is not for the address ${host}, where its Node says that it is`);
  return undefined;
}
