import { Event, HorizontalPodAutoscaler, type Kind, type UnknownObject } from '@vireo/api';
import type { Conversion } from './resource.ts';

/** core/v1 name → events.k8s.io/v1 name; all other fields are called alike. */
const EVENT_FIELDS: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
];

/** events.k8s.io/v1 Event over core/v1: the same object with other field names. */
export const eventConversion: Conversion = {
  storageKind: Event as Kind,
  toStorage: (event) => rename(event, 'v1', new Map(EVENT_FIELDS.map(([core, events]) => [events, core]))),
  fromStorage: (event) => rename(event, 'events.k8s.io/v1', new Map(EVENT_FIELDS)),
};

function rename(object: UnknownObject, apiVersion: string, names: ReadonlyMap<string, string>): UnknownObject {
  const renamed = Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
  return { ...renamed, apiVersion } as UnknownObject;
}

type Fields = Record<string, unknown>;

interface Metric {
  type?: string;
  resource?: { name?: string; target?: Fields; current?: Fields };
}

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

const isCpuUtilization = ({ type, resource }: Metric, of: 'target' | 'current'): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource[of]?.averageUtilization !== undefined;

/** autoscaling/v1 knows one metric, the CPU; what else v2 holds travels in an annotation. */
export const hpaConversion: Conversion = {
  storageKind: HorizontalPodAutoscaler as Kind,
  toStorage: (object) => {
    const { targetCPUUtilizationPercentage: percentage, ...spec } = (object.spec ?? {}) as Fields;
    const { [METRICS]: kept, ...annotations } = object.metadata.annotations ?? {};
    const metrics: Metric[] = [
      ...(percentage === undefined
        ? []
        : [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percentage } },
            },
          ]),
      ...parseMetrics(kept),
    ];
    const { currentCPUUtilizationPercentage: current, ...status } = (object.status ?? {}) as Fields;
    return {
      ...object,
      apiVersion: 'autoscaling/v2',
      metadata: { ...object.metadata, ...(object.metadata.annotations && { annotations }) },
      spec: { ...spec, ...(metrics.length > 0 && { metrics }) },
      ...(object.status !== undefined && {
        status: {
          ...status,
          ...(current !== undefined && {
            currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }],
          }),
        },
      }),
    } as UnknownObject;
  },
  fromStorage: (object) => {
    const { metrics = [], behavior: _, ...spec } = (object.spec ?? {}) as Fields & { metrics?: Metric[] };
    const cpu = metrics.find((metric) => isCpuUtilization(metric, 'target'));
    const others = metrics.filter((metric) => metric !== cpu);
    const {
      currentMetrics = [],
      conditions: __,
      ...status
    } = (object.status ?? {}) as Fields & { currentMetrics?: Metric[] };
    const current = currentMetrics.find((metric) => isCpuUtilization(metric, 'current'));
    return {
      ...object,
      apiVersion: 'autoscaling/v1',
      metadata: {
        ...object.metadata,
        ...(others.length > 0 && {
          annotations: { ...object.metadata.annotations, [METRICS]: JSON.stringify(others) },
        }),
      },
      spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: cpu.resource?.target?.averageUtilization }) },
      ...(object.status !== undefined && {
        status: {
          ...status,
          ...(current && { currentCPUUtilizationPercentage: current.resource?.current?.averageUtilization }),
        },
      }),
    } as UnknownObject;
  },
};

/** What a client put into the annotation by hand may be anything. */
function parseMetrics(text: string | undefined): Metric[] {
  if (text === undefined) return [];
  try {
    const metrics: unknown = JSON.parse(text);
    return Array.isArray(metrics) ? (metrics as Metric[]) : [];
  } catch {
    return [];
  }
}
