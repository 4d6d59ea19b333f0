import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Node, Secret } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { joiningSecret, newBootstrapToken } from '@vireo/kube/joining/bootstrapToken.ts';
import { readNodeRecord, writeServer } from '../joining/nodeHome.ts';
import type { PodNetwork } from '../podNetwork.ts';
import { prepareHome } from '../prepareHome.ts';
import type { Supervised } from '../roles/supervise.ts';
import { ensureLink } from './network.ts';
import { type LocalNode, type NodeNetwork, planNodes } from './plan.ts';
import { superviseNode } from './supervise.ts';

export interface LocalNodesOptions {
  /** Of the server. */
  readonly home: string;
  readonly port: number;
  /** The name of the first node: the others' begin with it. */
  readonly host: string;
  /** How many nodes this host has, the first included. */
  readonly count: number;
  /** Where they meet; missing: they share the host's network. */
  readonly network: NodeNetwork | undefined;
  readonly podNetwork: PodNetwork;
  /** Acts as the administrator. */
  readonly client: Client;
}

export interface LocalNodes {
  /** Why not all of them take VMs; undefined while they do. */
  problem(): string | undefined;
  readonly ended: Promise<void>;
}

/** Long enough for a busy host. */
const TOKEN_MS = 15 * 60_000;

/**
 * Starts further nodes of this host, each as another host would join: with a home, a libvirtd, certificates and, where
 * that can be had, a network of its own. Resolves when they take VMs.
 */
export async function startLocalNodes(options: LocalNodesOptions, signal: AbortSignal): Promise<LocalNodes> {
  const { home, host, count, network } = options;
  const nodes = planNodes(home, host, count, network);
  const running = await Promise.all(
    nodes.map(async (node) => ({ name: node.name, ...(await joinNode(node, options, signal)) })),
  );
  return {
    problem: () => {
      const names = running.filter((node) => !node.isReady()).map(({ name }) => name);
      return names.length > 0 ? `not running: ${names.join(', ')}` : undefined;
    },
    ended: Promise.all(running.map(({ ended }) => ended)).then(() => {}),
  };
}

async function joinNode(
  node: LocalNode,
  options: LocalNodesOptions,
  signal: AbortSignal,
): Promise<Supervised<unknown>> {
  const { home, port, network, podNetwork, client } = options;
  prepareHome(node.home);
  if (network && node.link) await ensureLink(network, node.link);
  const server = {
    server: `https://${node.link && network ? network.gateway : '127.0.0.1'}:${port}`,
    caPem: await readFile(join(home, 'pki', 'ca.crt'), 'utf8'),
  };
  // One that was deleted since joins anew.
  const hasJoined =
    (await readNodeRecord(node.home)) !== undefined && (await client.of(Node).find(node.name)) !== undefined;
  const token = hasJoined ? undefined : newBootstrapToken();
  await writeServer(node.home, server, token);
  if (!token) return superviseNode(node, podNetwork, signal);
  const expiration = new Date(Date.now() + TOKEN_MS);
  const { metadata } = await client.of(Secret).create(joiningSecret(token, { expiration, node: node.name }));
  try {
    return await superviseNode(node, podNetwork, signal);
  } finally {
    const { name, namespace } = metadata;
    await client.of(Secret).delete(name, { namespace }).catch(ignoreNotFound);
  }
}
