import { expect, it } from 'vitest';
import { decideShutdown, type EndingGuest, endingOf } from './decideShutdown.ts';

const guest: EndingGuest = { state: 'running', hasPowerButton: true, graceMs: 30_000, sinceMs: 1_000, pressedAtMs: 0 };

it.each([
  ['hears its power button', {}, 5_000, 'press'],
  ['is given time', { pressedAtMs: 4_000 }, 5_000, 'wait'],
  ['may have been booting, so it hears it again', { pressedAtMs: 4_000 }, 7_000, 'press'],
  ['whose time is over is switched off', { pressedAtMs: 30_000 }, 31_000, 'destroy'],
  ['without grace is switched off', { graceMs: 0 }, 1_000, 'destroy'],
  ['without a power button is switched off', { hasPowerButton: false }, 1_000, 'destroy'],
  ['that is paused is switched off', { state: 'paused' }, 1_000, 'destroy'],
] as const)('a guest that %s', (_, change, nowMs, wanted) => {
  expect(decideShutdown({ ...guest, ...change }, nowMs)).toBe(wanted);
});

it('the domain tells how its guest can be ended', () => {
  const domain = (metadata: string, features: string): string =>
    `<domain><metadata><vireo:vmi xmlns:vireo='urn:vireo:vmi:1' uid='u'${metadata}/></metadata><features>${features}</features></domain>`;
  expect(endingOf(domain(" graceSeconds='180'", '<acpi/>'))).toEqual({ hasPowerButton: true, graceMs: 180_000 });
  expect(endingOf(domain('', ''))).toEqual({ hasPowerButton: false, graceMs: 30_000 });
});
