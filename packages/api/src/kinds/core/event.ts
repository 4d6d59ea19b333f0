import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, req, string, struct, time } from '../../schema.ts';
import { eventColumns } from './eventColumns.ts';
import { ObjectReference } from './references.ts';

export const EventSeries = struct('io.k8s.api.core.v1.EventSeries', '', {
  count: opt(1, int32),
  lastObservedTime: opt(2, microTime),
});
export interface EventSeries extends Infer<typeof EventSeries> {}

export const EventSource = struct('io.k8s.api.core.v1.EventSource', '', {
  component: opt(1, string),
  host: opt(2, string),
});
export interface EventSource extends Infer<typeof EventSource> {}

export const EventSchema = struct('io.k8s.api.core.v1.Event', '', {
  ...objectFields,
  metadata: req(1, ObjectMeta, 'Name, labels, owners and the like.'),
  action: opt(12, string),
  count: opt(8, int32),
  eventTime: opt(10, microTime),
  firstTimestamp: opt(6, time),
  involvedObject: req(2, ObjectReference),
  lastTimestamp: opt(7, time),
  message: opt(4, string),
  reason: opt(3, string),
  related: opt(13, ObjectReference),
  reportingComponent: opt(14, string),
  reportingInstance: opt(15, string),
  series: opt(11, EventSeries),
  source: opt(5, EventSource),
  type: opt(9, string),
});
export interface Event extends Infer<typeof EventSchema> {}

export const Event = defineKind<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  schema: EventSchema,
  columns: eventColumns<Event>((event) => ({
    first: event.firstTimestamp ?? event.eventTime,
    last: event.series?.lastObservedTime ?? event.lastTimestamp ?? event.firstTimestamp ?? event.eventTime,
    count: event.series?.count ?? (event.count || 1),
    object: event.involvedObject,
    source: { ...event.source, controller: event.reportingComponent, instance: event.reportingInstance },
    type: event.type,
    reason: event.reason,
    message: event.message,
  })),
  selectableFields: {
    'involvedObject.kind': (event) => event.involvedObject.kind ?? '',
    'involvedObject.namespace': (event) => event.involvedObject.namespace ?? '',
    'involvedObject.name': (event) => event.involvedObject.name ?? '',
    'involvedObject.uid': (event) => event.involvedObject.uid ?? '',
    'involvedObject.apiVersion': (event) => event.involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': (event) => event.involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': (event) => event.involvedObject.fieldPath ?? '',
    reason: (event) => event.reason ?? '',
    reportingComponent: (event) => event.reportingComponent ?? '',
    source: (event) => event.source?.component || event.reportingComponent || '',
    type: (event) => event.type ?? '',
  },
});
