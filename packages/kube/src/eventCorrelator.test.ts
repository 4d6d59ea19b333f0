import { beforeEach, describe, expect, it } from 'vitest';
import { EventCorrelator, type Occurrence } from './eventCorrelator.ts';
import { FakeClock } from './testing/fakeClock.ts';

let clock: FakeClock;
let correlator: EventCorrelator;
beforeEach(() => {
  clock = new FakeClock();
  correlator = new EventCorrelator(clock);
});

const of = (uid: string, message = 'again', reason = 'Pulled'): Occurrence => ({
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid },
  type: 'Normal',
  reason,
  message,
});

function tell(occurrence: Occurrence, name: string): void {
  const correlated = correlator.correlate(occurrence);
  if (correlated) correlator.wasWritten(correlated, name);
}

describe('EventCorrelator', () => {
  it('tells objects of one name apart', () => {
    tell(of('first'), 'web.1');
    expect(correlator.correlate(of('second'))?.existingName).toBeUndefined();
    expect(correlator.correlate(of('first'))).toMatchObject({ existingName: 'web.1', count: 2 });
  });

  it('counts up for as long as the server keeps the event', () => {
    tell(of('a'), 'web.1');
    clock.advance(3_599_999);
    expect(correlator.correlate(of('a'))).toMatchObject({ existingName: 'web.1', count: 2 });
    clock.advance(3_600_000);
    expect(correlator.correlate(of('b'))).toMatchObject({ existingName: undefined, count: 1 });
    expect(correlator.size).toBe(1);
    expect(correlator.correlate(of('a'))).toMatchObject({ existingName: undefined, count: 1 });
  });

  it('goes on counting a message up that was recorded before others were combined', () => {
    for (let index = 1; index <= 12; index++) tell(of('a', `message ${index}`), `web.${index}`);
    expect(correlator.correlate(of('a', 'message 9'))).toMatchObject({ existingName: 'web.9', count: 2 });
    expect(correlator.correlate(of('a', 'message 12'))).toMatchObject({ existingName: 'web.12', count: 4 });
  });

  it('remembers the objects of the last events, however many there were', () => {
    for (let index = 0; index < 2000; index++) tell(of(`object ${index}`), `web.${index}`);
    expect(correlator.size).toBe(1024);
    expect(correlator.correlate(of('object 1999'))?.existingName).toBe('web.1999');
    expect(correlator.correlate(of('object 0'))?.existingName).toBeUndefined();
  });

  it('forgets the first reasons of an object that always finds new ones', () => {
    for (let index = 0; index < 20; index++) tell(of('a', 'once', `Reason${index}`), `web.${index}`);
    expect(correlator.correlate(of('a', 'once', 'Reason0'))?.existingName).toBe('web.0');
    for (let index = 20; index < 100; index++) correlator.correlate(of('a', 'once', `Reason${index}`));
    clock.advance(300_000);
    expect(correlator.correlate(of('a', 'once', 'Reason0'))).toMatchObject({ existingName: undefined, count: 1 });
  });
});
