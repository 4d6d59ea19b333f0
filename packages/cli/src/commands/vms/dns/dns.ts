import type { NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { networkConfig } from '../network/read.ts';
import { type HostNetwork, hostNetwork } from '../reach/hostNetwork.ts';
import { orFail } from '../refusal.ts';
import { formatTable } from '../table.ts';
import { addressesOf } from '../vmSummary.ts';
import { type LookedUp, lookUp } from './lookUp.ts';
import { changeResolver, hasResolved, setupText } from './setup.ts';
import { type Ask, askApi, askServer } from './sources.ts';
import type { RecordType } from './types.ts';

interface DnsOptions extends ConnectionOptions {
  readonly type?: RecordType;
  readonly setup?: boolean;
  readonly remove?: boolean;
  readonly output?: 'json';
}

/** Looks names up as guests would, or says how this host comes to know them. */
export function dns(names: readonly string[], options: DnsOptions): Promise<void> {
  return connected(options, async (connection) => {
    const network = await hostNetwork(connection);
    const config = await networkConfig(connection);
    if (options.setup || options.remove) {
      if (!network) throw notHere(connection);
      console.log(await changeResolver(network, config.clusterDomain, options.setup ? 'setup' : 'remove'));
    } else if (names.length === 0) {
      if (!network) throw notHere(connection);
      console.log(setupText(network, config.clusterDomain, await hasResolved()));
    } else await lookUpAll(connection, names, { network, config, options });
  });
}

const notHere = ({ target }: Connection): Failure =>
  new Failure(
    `this host does not reach the DNS server of the guests of ${target.server}`,
    `Only nodes of the cluster whose guests have addresses of their own do. To look a name up through the API: ${programName} dns NAME`,
  );

interface Setting {
  readonly network: HostNetwork | undefined;
  readonly config: NetworkConfig;
  readonly options: DnsOptions;
}

async function lookUpAll(connection: Connection, names: readonly string[], setting: Setting): Promise<void> {
  const { network, config, options } = setting;
  const { namespace } = connection;
  const { clusterDomain: domain, clusterCIDR, serviceCIDR } = config;
  const ranges = [clusterCIDR, serviceCIDR];
  const fromApi = askApi(connection, domain, ranges);
  const server = network && askServer(network.gateway);
  // Its own name is the one that the server surely knows: whether it answers at all is known from it.
  const silence = server && (await server(domain, 'A'));
  const isSilent = silence?.status === 'unknown';
  const ask: Ask = server && !isSilent ? server : fromApi;
  const results: LookedUp[] = [];
  for (const asked of names)
    results.push(
      await orFail(
        connection,
        (why) => `${asked} cannot be looked up: ${why}`,
        () => lookUp({ asked, namespace, domain, ranges, type: options.type }, ask),
      ),
    );
  const answeredBy = network && !isSilent ? network.gateway : 'API';
  if (options.output === 'json')
    console.log(
      JSON.stringify(
        results.map((result) => ({ ...result, answeredBy })),
        undefined,
        2,
      ),
    );
  else print(results, sourceText(network, isSilent ? silence.why : undefined));
  const missing = results.filter(({ name }) => name === undefined);
  if (missing[0]) throw await notFound(connection, missing[0], missing.length);
}

/** Who answers: for names of the cluster, and for others. */
function sourceText(network: HostNetwork | undefined, whySilent: string | undefined): (isOwn: boolean) => string {
  if (network && whySilent === undefined)
    return (isOwn) =>
      isOwn
        ? `Answered by ${network.gateway} (${network.device}), the DNS server of the guests on this host.`
        : `Answered by the resolvers of this host, which ${network.gateway} (${network.device}) asks for names outside the cluster.`;
  const why = network
    ? `the DNS server of the guests on this host, ${network.gateway} (${network.device}), cannot be asked: ${whySilent}`
    : 'this host does not reach the DNS server of guests';
  return () => `Answered from the API, because ${why}.`;
}

function print(results: readonly LookedUp[], source: (isOwn: boolean) => string): void {
  const found = results.filter(({ name }) => name !== undefined);
  if (found.length === 0) return;
  const rows = found.flatMap(({ name = '', records }) =>
    records.length > 0
      ? records.map(({ type, data }) => [name, type, data])
      : [[name, '-', 'exists, without such records']],
  );
  console.log(formatTable(rows));
  for (const text of new Set(found.map(({ isOwn }) => source(isOwn ?? false)))) console.log(text);
}

/** Which names there are not, and what would make one. */
async function notFound(
  { client, namespace }: Connection,
  { asked, tried, unknown }: LookedUp,
  count: number,
): Promise<Failure> {
  const vmi = await client
    .of(VirtualMachineInstance)
    .find(asked, { namespace })
    .catch(() => undefined);
  const [address] = addressesOf(vmi);
  const others = unknown.map(({ name, why }) => `; ${name}: ${why}`).join('');
  const message = `${asked} was not found: there is no ${tried.join(', ') || 'such name'}${others}`;
  const inNamespace = namespace === 'default' ? '' : ` -n ${namespace}`;
  const hint = vmi
    ? `Names come from Services. VM ${asked}${address ? ` has the address ${address}; for` : ': for'} the Services that lead to it: ` +
      `${programName} network ${asked}${inNamespace}`
    : `Names come from Services. To list them: ${programName} network${inNamespace}`;
  return new Failure(count > 1 ? `${message} (and ${count - 1} more)` : message, hint);
}
