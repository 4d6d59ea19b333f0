import { type Event, type EventsV1Event, type FieldError, field, type ObjectReference } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { oneOf, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';

const MAX_NOTE = 1024;
const MAX_NAME = 128;
/** Events about objects without a namespace live here. */
const FOR_CLUSTER = ['default', 'kube-system', undefined];

export const eventStrategy = defineStrategy<Event>({
  createOnUpdate: true,
  validate: (event) => validateNamespace(event.involvedObject, event.metadata.namespace, 'involvedObject.namespace'),
});

/** The newer shape asks for more: who reports, what was done, and why. */
export const eventsV1Strategy = defineStrategy<EventsV1Event>({
  createOnUpdate: true,

  validate: (event) => [
    ...validateNamespace(event.regarding ?? {}, event.metadata.namespace, 'regarding.namespace'),
    ...(event.eventTime ? [] : isConverted(event) ? [] : [field.required('eventTime')]),
    ...(isConverted(event) ? [] : validateReporter(event)),
    ...oneOf('type', event.type, ['Normal', 'Warning'], isConverted(event) ? 'optional' : 'required'),
    ...(Buffer.byteLength(event.note ?? '') > MAX_NOTE && !isConverted(event)
      ? [field.invalid('note', '', `can have at most ${MAX_NOTE} characters`)]
      : []),
  ],

  validateUpdate: (event, old) =>
    isConverted(old)
      ? []
      : (['regarding', 'reason', 'action', 'reportingController', 'reportingInstance', 'type'] as const).flatMap(
          (name) => immutable(name, event[name], old[name]),
        ),
});

/** Written through core/v1, which counts with timestamps instead of an eventTime. */
const isConverted = (event: EventsV1Event): boolean =>
  event.deprecatedFirstTimestamp !== undefined || event.deprecatedLastTimestamp !== undefined;

function validateNamespace(
  about: ObjectReference | undefined,
  namespace: string | undefined,
  path: string,
): FieldError[] {
  const expected = about?.namespace ?? '';
  const matches = expected === '' ? FOR_CLUSTER.includes(namespace) : expected === namespace;
  return matches ? [] : [field.invalid(path, expected, 'does not match event.namespace')];
}

function validateReporter(event: EventsV1Event): FieldError[] {
  return [
    ...requiredText('reportingController', event.reportingController, qualifiedNameErrors),
    ...lengthErrors('reportingInstance', event.reportingInstance),
    ...lengthErrors('action', event.action),
    ...lengthErrors('reason', event.reason),
  ];
}

function lengthErrors(path: string, value: string | undefined): FieldError[] {
  if (!value) return [field.required(path)];
  return Buffer.byteLength(value) > MAX_NAME
    ? [field.invalid(path, '', `can have at most ${MAX_NAME} characters`)]
    : [];
}
