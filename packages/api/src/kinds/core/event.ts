import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, req, string, struct, time } from '../../schema.ts';
import { eventColumns } from './eventColumns.ts';
import { ObjectReference } from './references.ts';

export const EventSeries = struct('io.k8s.api.core.v1.EventSeries', 'Repetitions of an event.', {
  count: opt(1, int32, 'Number of times that the event occurred.'),
  lastObservedTime: opt(2, microTime, 'Time at which the event last occurred.'),
});
export interface EventSeries extends Infer<typeof EventSeries> {}

export const EventSource = struct('io.k8s.api.core.v1.EventSource', 'Component that reports an event.', {
  component: opt(1, string, 'Name of the component.'),
  host: opt(2, string, 'The node that it is on.'),
});
export interface EventSource extends Infer<typeof EventSource> {}

export const EventSchema = struct('io.k8s.api.core.v1.Event', 'Something that happened to an object.', {
  ...objectFields,
  metadata: req(1, ObjectMeta, 'Name, labels, owners and the like.'),
  action: opt(12, string, 'Action that the reporter took.'),
  count: opt(8, int32, 'Number of times that the event occurred.'),
  eventTime: opt(10, microTime, 'Time at which the event was first observed.'),
  firstTimestamp: opt(6, time, 'Time at which the event first occurred.'),
  involvedObject: req(2, ObjectReference, 'Object that the event is about.'),
  lastTimestamp: opt(7, time, 'Time at which the event last occurred.'),
  message: opt(4, string, 'Human-readable description of the event.'),
  reason: opt(3, string, 'Reason for the event as one CamelCase word.'),
  related: opt(13, ObjectReference, 'Another object that the event is related to.'),
  reportingComponent: opt(14, string, 'Name of the controller that reports the event.'),
  reportingInstance: opt(15, string, "ID of the controller's instance, such as its host name."),
  series: opt(11, EventSeries, 'Series that the event belongs to, if it has occurred again.'),
  source: opt(5, EventSource, 'Deprecated. Component that reports the event, for readers of core/v1 events.'),
  type: opt(9, string, 'Severity of the event: Normal or Warning.'),
});
export interface Event extends Infer<typeof EventSchema> {}

/** The object, where the reporter named one: only the server's checks make sure of it. */
const about = (event: Event): Partial<ObjectReference> => event.involvedObject ?? {};

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
    object: about(event),
    source: { ...event.source, controller: event.reportingComponent, instance: event.reportingInstance },
    type: event.type,
    reason: event.reason,
    message: event.message,
  })),
  selectableFields: {
    'involvedObject.kind': (event) => about(event).kind ?? '',
    'involvedObject.namespace': (event) => about(event).namespace ?? '',
    'involvedObject.name': (event) => about(event).name ?? '',
    'involvedObject.uid': (event) => about(event).uid ?? '',
    'involvedObject.apiVersion': (event) => about(event).apiVersion ?? '',
    'involvedObject.resourceVersion': (event) => about(event).resourceVersion ?? '',
    'involvedObject.fieldPath': (event) => about(event).fieldPath ?? '',
    reason: (event) => event.reason ?? '',
    reportingComponent: (event) => event.reportingComponent ?? '',
    source: (event) => event.source?.component || event.reportingComponent || '',
    type: (event) => event.type ?? '',
  },
});
