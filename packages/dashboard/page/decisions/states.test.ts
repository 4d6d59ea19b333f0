import { expect, it } from 'vitest';
import { stateOf, TOKENS, wordOfPhase } from './states.ts';

it.each([
  ['Running', 'running', 'Running', 'ok'],
  ['Provisioning', 'starting', 'Preparing disks', 'busy'],
  ['Terminating', 'stopping', 'Being deleted', 'busy'],
  ['Stopped', 'off', 'Stopped', 'off'],
  ['Paused', 'paused', 'Paused', 'paused'],
  ['ErrImagePull', 'trouble', 'Cannot pull image', 'err'],
  ['SomethingNew', 'unclear', 'SomethingNew', 'warn'],
  ['constructor', 'unclear', 'constructor', 'warn'],
  [undefined, 'unclear', 'Unknown', 'warn'],
])('%s is in the group %s and reads "%s"', (word, group, label, token) => {
  expect(stateOf(word)).toEqual({ group, label, word: word ?? 'Unknown' });
  expect(TOKENS[stateOf(word).group]).toBe(token);
});

it('an instance alone that moves is migrating, unless it is paused', () => {
  expect(wordOfPhase('Running', false, true)).toBe('Migrating');
  expect(wordOfPhase('Running', true, true)).toBe('Paused');
});

it.each([
  [undefined, false, 'Starting'],
  ['Scheduled', false, 'Starting'],
  ['Running', false, 'Running'],
  ['Running', true, 'Paused'],
  ['Succeeded', false, 'Stopped'],
  ['Failed', false, 'Failed'],
  ['Odd', false, 'Unknown'],
])('an instance alone in phase %s, paused: %s, is %s', (phase, isPaused, word) => {
  expect(wordOfPhase(phase, isPaused)).toBe(word);
});
