import { describe, expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { eventStrategy, eventsV1Strategy } from './event.ts';

describe('an event lives beside what it is about', () => {
  test.each<[string, string | undefined, string | undefined, string[]]>([
    ['in one namespace', 'team', 'team', []],
    ['about a node', 'default', undefined, []],
    [
      'about another namespace',
      'default',
      'team',
      ['involvedObject.namespace: Invalid value: "team": does not match event.namespace'],
    ],
    [
      'about a node, in a team’s namespace',
      'team',
      undefined,
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
  ])('%s', (_, namespace, about, expected) => {
    const event = { metadata: { name: 'e', namespace }, involvedObject: { namespace: about } };
    expect(problems(eventStrategy, event)).toEqual(expected);
  });
});

describe('an event of events.k8s.io', () => {
  const event = (rest: object = {}) => ({
    metadata: { name: 'e', namespace: 'team' },
    regarding: { namespace: 'team' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'vireo.io/vm',
    reportingInstance: 'vm-0',
    action: 'Start',
    reason: 'Started',
    type: 'Normal',
    ...rest,
  });

  test.each<[string, object, string[]]>([
    ['says who, what and why', event(), []],
    [
      'must say so',
      event({ eventTime: undefined, reportingController: '', reportingInstance: '', action: '', reason: '', type: '' }),
      [
        'eventTime: Required value',
        'reportingController: Required value',
        'reportingInstance: Required value',
        'action: Required value',
        'reason: Required value',
        'type: Required value',
      ],
    ],
    [
      'need not, when it was written in the old form',
      { ...event(), deprecatedFirstTimestamp: 'x', eventTime: undefined, action: '' },
      [],
    ],
    ['is short', event({ note: 'x'.repeat(1025) }), ['note: Invalid value: "": can have at most 1024 characters']],
    [
      'is normal or a warning',
      event({ type: 'Fatal' }),
      ['type: Unsupported value: "Fatal": supported values: "Normal", "Warning"'],
    ],
  ])('%s', (_, object, expected) => {
    expect(problems(eventsV1Strategy, object)).toEqual(expected);
  });

  test('may be counted, not rewritten', () => {
    expect(changeProblems(eventsV1Strategy, event({ series: { count: 2 } }), event())).toEqual([]);
    expect(changeProblems(eventsV1Strategy, event({ reason: 'Stopped' }), event())).toEqual([
      'reason: Invalid value: "Stopped": field is immutable',
    ]);
  });
});
