import { CHART_METRICS, LIST_METRICS, parseExposition } from './exposition.ts';
import type { Origin, Samples } from './fields.ts';
import { NodeMetrics } from './nodeMetrics.ts';
import { LAUNCHERS, parsePodMetrics } from './podMetrics.ts';

/** Whose figures: those of all machines, of a namespace, or of one machine. */
export interface Scope {
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly name?: string;
}

/** The cluster as the user may read it. */
export interface Cluster {
  /** The text at a path. Rejects with an error that has the HTTP status as `code` if the server refuses. */
  read(path: string, signal: AbortSignal): Promise<string>;
}

export interface Reading {
  /** The best that there is; of a machine, its sample says it. */
  readonly origin: Origin;
  readonly samples: Samples;
}

/** Where figures come from: rejects with what a user should know if there are none. */
export interface FigureSource {
  read(scope: Scope, isList: boolean, signal: AbortSignal): Promise<Reading>;
}

/** For how long an answer about a permission counts. */
const TRUST_MS = 60_000;
const METRICS_RIGHT = '“get” on the path /metrics (cluster role system:monitoring)';

/**
 * Reads figures with the rights of the user: `/metrics` of the server and of other nodes where the server is Vireo and
 * allows it, else metrics.k8s.io. The `/metrics` of other API servers is about themselves, and large. Machines that the user may not list are left out.
 */
export function clusterSource(cluster: Cluster, now: () => number): FigureSource {
  const nodes = new NodeMetrics(cluster, now);
  let isVireo: Promise<boolean> | undefined;
  let refusedUntilMs = 0;
  const listable = new Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>();

  /** Asked by listing one: that is the permission itself, whoever decides about it. */
  async function mayList(namespace: string, signal: AbortSignal): Promise<boolean> {
    const known = listable.get(namespace);
    if (known && now() < known.untilMs) return known.isAllowed;
    const path = `/apis/kubevirt.io/v1/${below(namespace)}virtualmachineinstances?limit=1`;
    const isAllowed = await cluster.read(path, signal).then(
      () => true,
      (error) => {
        if (codeOf(error) === 403) return false;
        throw error;
      },
    );
    listable.set(namespace, { isAllowed, untilMs: now() + TRUST_MS });
    return isAllowed;
  }

  const askVersion = (signal: AbortSignal): Promise<boolean> => {
    isVireo ??= cluster.read('/version', signal).then(
      (text) => text.includes('+vireo'),
      (error) => {
        isVireo = undefined;
        throw error;
      },
    );
    return isVireo;
  };

  async function readMetrics(scope: Scope, isList: boolean, signal: AbortSignal): Promise<Reading | undefined> {
    if (now() < refusedUntilMs || !(await askVersion(signal))) return undefined;
    let own: Samples;
    try {
      own = parseExposition(await cluster.read(metricsPath(scope, isList), signal), now());
    } catch (error) {
      if (codeOf(error) !== 403) throw error;
      refusedUntilMs = now() + TRUST_MS;
      return undefined;
    }
    const { samples: others, isComplete } = await nodes.read(scope, own, signal);
    // What is not read in full is better known by its CPU and memory than not at all.
    const pods = isComplete ? undefined : await readPods(scope, signal).catch(() => undefined);
    return { origin: 'guests', samples: new Map([...(pods?.samples ?? []), ...others, ...own]) };
  }

  async function readPods({ namespace }: Scope, signal: AbortSignal): Promise<Reading> {
    const path = `/apis/metrics.k8s.io/v1beta1/${below(namespace)}pods?labelSelector=${encodeURIComponent(LAUNCHERS)}`;
    try {
      return { origin: 'launchers', samples: parsePodMetrics(await cluster.read(path, signal), now()) };
    } catch (error) {
      throw new Error(await whyNot(error, namespace, signal));
    }
  }

  async function whyNot(error: unknown, namespace: string, signal: AbortSignal): Promise<string> {
    const mayBeAllowed = await askVersion(signal);
    const where = namespace === '' ? 'all namespaces' : `namespace ${namespace}`;
    if (codeOf(error) === 404)
      return mayBeAllowed
        ? `You are not allowed to read figures: that takes ${METRICS_RIGHT}.`
        : 'This server has no figures: it serves no metrics.k8s.io. A metrics-server in the cluster would.';
    if (codeOf(error) !== 403) return error instanceof Error ? error.message : String(error);
    const pods = `“list” on pods.metrics.k8s.io in ${where}`;
    return `You are not allowed to read figures: that takes ${mayBeAllowed ? `${METRICS_RIGHT}, or ` : ''}${pods}.`;
  }

  return {
    async read(scope, isList, signal) {
      if (!(await mayList(scope.namespace, signal)))
        throw new Error('You are not allowed to list these machines, and see no figures of them.');
      const { origin, samples } = (await readMetrics(scope, isList, signal)) ?? (await readPods(scope, signal));
      return { origin, samples: new Map([...samples].filter(([key]) => isWithin(key, scope))) };
    },
  };
}

const below = (namespace: string): string => (namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`);

/** Vireo leaves out what is not asked for; a server that does not know the parameters sends more, which is sorted out. */
function metricsPath({ namespace, name }: Scope, isList: boolean): string {
  const query = new URLSearchParams();
  for (const metric of isList ? LIST_METRICS : CHART_METRICS) query.append('name[]', metric);
  if (namespace !== '') query.append('label', `namespace=${namespace}`);
  if (name !== undefined) query.append('label', `name=${name}`);
  return `/metrics?${query}`;
}

function isWithin(key: string, { namespace, name }: Scope): boolean {
  if (name !== undefined) return key === `${namespace}/${name}`;
  return namespace === '' || key.startsWith(`${namespace}/`);
}

/** The HTTP status of an error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? (error as Error & { code: unknown }).code : undefined;
