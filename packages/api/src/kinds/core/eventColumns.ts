import type { Column } from '../../kind.ts';
import type { KubeObject } from '../../meta.ts';
import { age } from '../columns.ts';

interface EventFacts {
  first?: string;
  last?: string;
  count: number;
  object: { kind?: string; name?: string; fieldPath?: string };
  source: { component?: string; host?: string; controller?: string; instance?: string };
  type?: string;
  reason?: string;
  message?: string;
}

/** The columns of both event kinds: core and events.k8s.io are two shapes of one thing. */
export function eventColumns<T extends KubeObject>(of: (event: T) => EventFacts): Column<T>[] {
  const text = (name: string, description: string, value: (facts: EventFacts) => string | undefined): Column<T> => ({
    name,
    type: 'string',
    description,
    value: (event) => value(of(event)) ?? '',
  });
  return [
    {
      name: 'Last Seen',
      type: 'string',
      description: 'Time since the event last occurred.',
      value: (event, now) => age(of(event).last, now),
    },
    text('Type', 'Normal or Warning.', ({ type }) => type),
    text('Reason', 'Reason of the event, as one word.', ({ reason }) => reason),
    text('Object', 'Object that the event is about.', ({ object }) => formatObject(object)),
    {
      ...text('Subobject', 'Field of the object that the event is about.', ({ object }) => object.fieldPath),
      priority: 1,
    },
    { ...text('Source', 'Component that reports the event.', ({ source }) => formatSource(source)), priority: 1 },
    text('Message', 'Human-readable description of the event.', ({ message }) => message?.trim()),
    {
      name: 'First Seen',
      type: 'string',
      priority: 1,
      description: 'Time since the event first occurred.',
      value: (event, now) => age(of(event).first, now),
    },
    {
      name: 'Count',
      type: 'string',
      priority: 1,
      description: 'Number of times that the event occurred.',
      value: (event) => of(event).count,
    },
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      priority: 1,
      description: 'Name of the event.',
      value: (event) => event.metadata.name,
    },
  ];
}

const formatObject = ({ kind = '', name }: EventFacts['object']): string =>
  name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();

function formatSource({ component, host, controller, instance }: EventFacts['source']): string {
  const parts = component ? [component, host] : [controller, instance];
  return parts.filter((part) => part).join(', ');
}
