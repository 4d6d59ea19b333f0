import { Resolver } from 'node:dns/promises';
import { EndpointSlice, isReason, Namespace, Service } from '@vireo/api';
import { contains } from '@vireo/network';
import { SERVICE_NAME_LABEL } from '@vireo/node/network/objects.ts';
import { clusterZone, type Names } from '@vireo/node/network/zone.ts';
import { errorCode } from '../../../failure.ts';
import type { Connection } from '../connection.ts';
import type { RecordType } from './types.ts';

/** A record as it is shown. */
export interface FoundRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly data: string;
}

/** What a source says of a name: whether there is one, and its records of a type. `unknown`: it cannot tell. */
export type Answer =
  | { readonly status: 'found'; readonly records: readonly FoundRecord[] }
  | { readonly status: 'missing' }
  | { readonly status: 'unknown'; readonly why: string };

/** Who answers questions about names. */
export type Ask = (name: string, type: RecordType) => Promise<Answer>;

const TIMEOUT_MS = 2_000;

/** Asks a DNS server: `10.244.0.1`, or with its port. */
export function askServer(address: string): Ask {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  resolver.setServers([address]);
  return async (name, type) => {
    try {
      const found = (await resolver.resolve(name, type)) as readonly unknown[];
      return { status: 'found', records: found.map((data) => ({ name, type, data: dataText(data) })) };
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENODATA') return { status: 'found', records: [] };
      if (code === 'ENOTFOUND') return { status: 'missing' };
      return { status: 'unknown', why: WHYS[code ?? ''] ?? String(error) };
    }
  };
}

const WHYS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it does not answer',
  ETIMEOUT: 'it does not answer in time',
  ESERVFAIL: 'it gets no answer from the resolvers of its host',
  EREFUSED: 'it refuses to answer',
};

function dataText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (Array.isArray(data)) return data.join('');
  const { priority, weight, port, name, target = name } = data as Record<string, string | number>;
  return `${priority} ${weight} ${port} ${target}`;
}

/** Answers as the DNS server of guests would, from what the API shows: for hosts that do not reach that server. */
export function askApi(connection: Connection, domain: string, ranges: readonly string[]): Ask {
  const known = new Map<string, Promise<Names>>();
  return async (name, type) => {
    const labels = name.split('.');
    const isReverse = name.endsWith('.in-addr.arpa');
    // web.default.svc.cluster.local: the namespace stands before the kind, wherever the name begins.
    const namespace = isReverse ? undefined : (labels.at(-domain.split('.').length - 2) ?? '');
    const key = namespace ?? '';
    const names = known.get(key) ?? readNames(connection, namespace, domain, ranges);
    known.set(key, names);
    const resolution = clusterZone(await names).resolve(name, type);
    if (!resolution) return { status: 'unknown', why: 'it is not a name of the cluster' };
    if (!resolution.exists) return { status: 'missing' };
    const records = resolution.records.flatMap((record) =>
      'data' in record && (record.type === type || record.type === 'CNAME')
        ? [{ name, type: record.type as RecordType, data: dataText(record.data) }]
        : [],
    );
    return { status: 'found', records };
  };
}

/** The Services of a namespace, or of all that the user may see. */
async function readNames(
  { client, namespace: own }: Connection,
  namespace: string | undefined,
  domain: string,
  ranges: readonly string[],
): Promise<Names> {
  const [services, slices, isThere] = await Promise.all([
    client
      .of(Service)
      .list(namespace ? { namespace } : {})
      .catch((error: unknown) => {
        if (namespace || !isReason(error, 'Forbidden')) throw error;
        return client.of(Service).list({ namespace: own });
      }),
    namespace ? client.of(EndpointSlice).list({ namespace }) : { items: [] },
    // Namespaces are for administrators; whoever sees Services in one knows that it is there.
    namespace
      ? client
          .of(Namespace)
          .find(namespace)
          .then(Boolean)
          .catch(() => true)
      : false,
  ]);
  return {
    domain,
    service: (_, name) => services.items.find(({ metadata }) => metadata.name === name),
    slices: (_, name) => slices.items.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === name),
    byClusterIp: (address) => services.items.filter(({ spec }) => spec?.clusterIPs?.includes(address)),
    hasNamespace: () => isThere,
    isOwn: (address) => ranges.some((range) => contains(range, address)),
  };
}
