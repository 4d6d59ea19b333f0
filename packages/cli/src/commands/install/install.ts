import { DaemonSet, type KubeObject, Namespace } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { DEFAULT_NETWORK, type NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { type Client, type ServerVersion, serverVersion } from '@vireo/kube';
import { stringify } from 'yaml';
import { Failure, TIMED_OUT } from '../../failure.ts';
import type { RangePair } from '../../options.ts';
import { version } from '../../version.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { applyInstallation, fitting } from './apply.ts';
import { START, waitUntilAvailable } from './available.ts';
import type { PARTS } from './command.ts';
import { exclusionCommand, reachingVirtualNodes } from './daemonSets.ts';
import { applyServiceMonitor } from './monitoring.ts';
import { type Installation, inOrder, installation, installedVersion } from './objects.ts';
import { type Existing, otherOwners, readExisting } from './owners.ts';
import { pruneFormerObjects } from './prune.ts';
import { missingOn, OLDEST_ALLOWED, OLDEST_SUPPORTED } from './server.ts';

type Part = (typeof PARTS)[number];

/** What `vireo install` is told. */
export interface InstallCommandOptions extends ConnectionOptions {
  readonly print?: Part;
  readonly wait?: boolean;
  readonly upgrade?: boolean;
  readonly useEmulation?: boolean;
  readonly allowOldServer?: boolean;
  /** The ranges of the cluster; both missing: what is known of them stays. */
  readonly clusterCidr?: RangePair;
  readonly serviceCidr?: RangePair;
  readonly clusterDomain?: string;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Installs Vireo on a Kubernetes, or prints what that would apply. */
export async function install(options: InstallCommandOptions): Promise<void> {
  const wanted = installation(options.useEmulation, networkOf(options));
  if (options.print !== undefined) return print(wanted, options.print);
  await connected(options, async ({ client, target }) => {
    const server = await serverVersion(client);
    checkVersion(server, options.allowOldServer ?? false);
    const existing = await readExisting(client);
    checkOwners(existing, wanted);
    const before = await checkInstalledVersion(client, options.upgrade ?? false);
    const { useEmulation, timeout: timeoutMs } = options;
    const { minor } = server;
    const objects = fitting(wanted, minor, existing);
    await applyInstallation(client, objects, { useEmulation, minor, timeoutMs }).catch((error: unknown) => {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      throw isLate ? timedOut('the server does not serve the kinds of VMs', timeoutMs) : error;
    });
    const isScraped = await applyServiceMonitor(client);
    if (before !== undefined) await pruneFormerObjects(client, inOrder(wanted));
    console.log(`Vireo ${version} is installed on Kubernetes ${server.text} at ${target.server}.`);
    for (const missing of missingOn(minor)) console.log(`  This server lacks ${missing}.`);
    if (isScraped) console.log(`  Prometheus scrapes it: ServiceMonitor ${KUBEVIRT_NAMESPACE}/kubevirt.`);
    await printDaemonSets(client);
    if (options.wait) console.log(await waitUntilAvailable(client, wanted.asking, timeoutMs));
    else printNextSteps();
  });
}

/** What nodes are told of the network: both ranges, or nothing. */
function networkOf(options: InstallCommandOptions): NetworkConfig | undefined {
  const { clusterCidr, serviceCidr, clusterDomain = DEFAULT_NETWORK.clusterDomain } = options;
  if (clusterCidr !== undefined && serviceCidr !== undefined)
    return {
      clusterCIDR: clusterCidr.ipv4,
      ...(clusterCidr.ipv6 && { clusterCIDRv6: clusterCidr.ipv6 }),
      serviceCIDR: serviceCidr.ipv4,
      ...(serviceCidr.ipv6 && { serviceCIDRv6: serviceCidr.ipv6 }),
      clusterDomain,
    };
  if (clusterCidr === undefined && serviceCidr === undefined && options.clusterDomain === undefined) return undefined;
  throw new Failure(
    'nodes need both ranges of the cluster',
    'Give --cluster-cidr and --service-cidr, or neither of them and no --cluster-domain.',
  );
}

function print(wanted: Installation, part: Part): void {
  const isWanted = ({ kind }: KubeObject): boolean =>
    part === 'all' || (part === 'crds') === (kind === 'CustomResourceDefinition');
  const documents = inOrder(wanted)
    .filter(isWanted)
    .map((object) => stringify(object, { lineWidth: 0 }));
  process.stdout.write(documents.join('---\n'));
}

function checkVersion({ text, minor }: ServerVersion, isOldAllowed: boolean): void {
  if (minor >= OLDEST_SUPPORTED) return;
  if (minor >= OLDEST_ALLOWED && isOldAllowed) return;
  if (minor < OLDEST_ALLOWED || Number.isNaN(minor))
    throw new Failure(`this is Kubernetes ${text}`, `Vireo needs Kubernetes 1.${OLDEST_SUPPORTED} or newer.`);
  throw new Failure(
    `this is Kubernetes ${text}; Vireo supports 1.${OLDEST_SUPPORTED} and newer`,
    ['With --allow-old-server it works without:', ...missingOn(minor).map((missing) => `  - ${missing}`)].join('\n'),
  );
}

function checkOwners(existing: Existing, wanted: Installation): void {
  const others = otherOwners(existing, inOrder(wanted));
  if (others.length === 0) return;
  throw new Failure(
    `VMs on this cluster are somebody else's:\n${others.map((other) => `  - ${other}`).join('\n')}`,
    'Both would act on the same objects. Use another cluster, or uninstall the other one first.',
  );
}

/** The version that is installed already; another one is replaced only if the user says so. */
async function checkInstalledVersion(client: Client, isUpgrade: boolean): Promise<string | undefined> {
  const namespace = await client.of(Namespace).find(KUBEVIRT_NAMESPACE);
  const installed = namespace && installedVersion(namespace);
  if (installed !== undefined && installed !== version && !isUpgrade)
    throw new Failure(`Vireo ${installed} is installed; this is ${version}`, 'To replace it: vireo install --upgrade');
  return installed;
}

async function printDaemonSets(client: Client): Promise<void> {
  const found = reachingVirtualNodes((await client.of(DaemonSet).list()).items);
  if (found.length === 0) return;
  console.log('\nThese DaemonSets tolerate every taint, but nodes of VMs run no containers. To keep them off:');
  for (const daemonSet of found) console.log(`  ${exclusionCommand(daemonSet)}`);
}

function printNextSteps(): void {
  console.log(
    '\nNext, on hosts that reach this cluster:\n' +
      `  ${START.controllers}   # one instance leads, others stand by\n` +
      `  ${START.extension}     # one or more\n` +
      `  ${START.node}          # on each host that runs VMs`,
  );
}

const timedOut = (message: string, timeoutMs: number): Failure =>
  new Failure(`${message} after ${Math.round(timeoutMs / 1000)} s`, undefined, { exitCode: TIMED_OUT });
