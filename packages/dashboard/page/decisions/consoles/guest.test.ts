import { describe, expect, it } from 'vitest';
import type { Vmi } from '../../data/kinds.ts';
import { instanceAlone, type Machine, vmiRow } from '../machine.ts';
import { stateOf } from '../states.ts';
import { hasConsole, isReachable, streamPath } from './guest.ts';

const vmi = (devices: object): Vmi => ({ metadata: { name: 'web' }, spec: { domain: { devices } as never } });
const machine = (word: string, hasInstance = true): Machine => ({
  ...instanceAlone(vmiRow(vmi({}))),
  state: stateOf(word),
  hasInstance,
});

describe('a console', () => {
  it.each([
    ['Running', true, true],
    ['Paused', true, true],
    ['Migrating', true, true],
    ['Stopping', true, true],
    ['Starting', true, false],
    ['Stopped', false, false],
    ['Stopped', true, false],
  ])('of a machine that is %s, with an instance: %s, is reachable: %s', (word, hasInstance, expected) => {
    expect(isReachable(machine(word, hasInstance))).toBe(expected);
  });

  it('of a machine that runs, as its VM says, is reachable if instances cannot be read', () => {
    expect(isReachable({ ...machine('Running'), hasInstance: undefined })).toBe(true);
  });

  it('is there unless the spec leaves it out', () => {
    expect(hasConsole('screen', undefined, vmi({}))).toBe(true);
    expect(hasConsole('screen', undefined, vmi({ autoattachGraphicsDevice: false }))).toBe(false);
    expect(hasConsole('serial', undefined, vmi({ autoattachGraphicsDevice: false }))).toBe(true);
    expect(hasConsole('serial', undefined, vmi({ autoattachSerialConsole: false }))).toBe(false);
  });

  it('has a path whatever the name', () => {
    expect(streamPath({ kind: 'screen', namespace: 'a', name: 'b?c' })).toMatch(
      /\/namespaces\/a\/virtualmachineinstances\/b%3Fc\/vnc$/,
    );
  });
});
