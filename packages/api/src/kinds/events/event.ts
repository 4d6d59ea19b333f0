import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, req, string, struct, time } from '../../schema.ts';
import { EventSource } from '../core/event.ts';
import { eventColumns } from '../core/eventColumns.ts';
import { ObjectReference } from '../core/references.ts';

export const EventsV1EventSeries = struct('io.k8s.api.events.v1.EventSeries', 'Repetitions of an event.', {
  count: req(1, int32, 'Number of times that the event occurred.'),
  lastObservedTime: req(2, microTime, 'Time at which the event last occurred.'),
});
export interface EventsV1EventSeries extends Infer<typeof EventsV1EventSeries> {}

export const EventsV1EventSchema = struct('io.k8s.api.events.v1.Event', 'Something that happened to an object.', {
  ...objectFields,
  action: opt(6, string, 'Action that the reporter took.'),
  deprecatedCount: opt(15, int32, 'Deprecated. Number of occurrences, for readers of core/v1 events.'),
  deprecatedFirstTimestamp: opt(13, time, 'Deprecated. Time of the first occurrence, for readers of core/v1 events.'),
  deprecatedLastTimestamp: opt(14, time, 'Deprecated. Time of the last occurrence, for readers of core/v1 events.'),
  deprecatedSource: opt(
    12,
    EventSource,
    'Deprecated. Component that reports the event, for readers of core/v1 events.',
  ),
  eventTime: req(2, microTime, 'Time at which the event was first observed.'),
  note: opt(10, string, 'Human-readable description of the event.'),
  reason: opt(7, string, 'Reason for the event as one CamelCase word.'),
  regarding: opt(8, ObjectReference, 'Object that the event is about.'),
  related: opt(9, ObjectReference, 'Another object that the event is related to.'),
  reportingController: opt(4, string, 'Name of the controller that reports the event.'),
  reportingInstance: opt(5, string, "ID of the controller's instance, such as its host name."),
  series: opt(3, EventsV1EventSeries, 'Series that the event belongs to, if it has occurred again.'),
  type: opt(11, string, 'Severity of the event: Normal or Warning.'),
});
export interface EventsV1Event extends Infer<typeof EventsV1EventSchema> {}

export const EventsV1Event = defineKind<EventsV1Event>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  shortNames: ['ev'],
  schema: EventsV1EventSchema,
  columns: eventColumns<EventsV1Event>((event) => ({
    first: event.deprecatedFirstTimestamp ?? event.eventTime,
    last:
      event.series?.lastObservedTime ??
      event.deprecatedLastTimestamp ??
      event.deprecatedFirstTimestamp ??
      event.eventTime,
    count: event.series?.count ?? (event.deprecatedCount || 1),
    object: event.regarding ?? {},
    source: {
      ...event.deprecatedSource,
      controller: event.reportingController,
      instance: event.reportingInstance,
    },
    type: event.type,
    reason: event.reason,
    message: event.note,
  })),
  selectableFields: {
    'regarding.kind': (event) => event.regarding?.kind ?? '',
    'regarding.namespace': (event) => event.regarding?.namespace ?? '',
    'regarding.name': (event) => event.regarding?.name ?? '',
    'regarding.uid': (event) => event.regarding?.uid ?? '',
    'regarding.apiVersion': (event) => event.regarding?.apiVersion ?? '',
    'regarding.resourceVersion': (event) => event.regarding?.resourceVersion ?? '',
    'regarding.fieldPath': (event) => event.regarding?.fieldPath ?? '',
    reason: (event) => event.reason ?? '',
    reportingController: (event) => event.reportingController ?? '',
    type: (event) => event.type ?? '',
  },
});
