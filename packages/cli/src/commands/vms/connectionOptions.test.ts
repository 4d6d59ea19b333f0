import { describe, expect, it } from 'vitest';
import { kubeconfigFile, parseTimeout } from './connectionOptions.ts';

describe('which server is meant', () => {
  const env = { HOME: '/home/me' };
  const ofVireo = { ...env, VIREO_HOME: '/srv/vireo' };
  const all = () => true;
  const none = () => false;
  const only = (file: string) => (each: unknown) => each === file;
  const runs = () => true;
  const stopped = () => false;

  it.each([
    {
      what: 'the flag',
      options: { kubeconfig: 'mine' },
      env: { ...ofVireo, KUBECONFIG: 'other' },
      exists: all,
      isRunning: runs,
      is: 'mine',
    },
    {
      what: 'KUBECONFIG',
      options: {},
      env: { ...ofVireo, KUBECONFIG: 'other' },
      exists: all,
      isRunning: runs,
      is: undefined,
    },
    { what: 'VIREO_HOME', options: {}, env: ofVireo, exists: all, isRunning: stopped, is: '/srv/vireo/kubeconfig' },
    { what: 'no file in the home', options: {}, env: ofVireo, exists: none, isRunning: stopped, is: undefined },
    {
      what: 'a server that runs',
      options: {},
      env,
      exists: all,
      isRunning: runs,
      is: expect.stringMatching(/vireo\/kubeconfig$/),
    },
    {
      what: 'a stopped server beside ~/.kube/config',
      options: {},
      env,
      exists: all,
      isRunning: stopped,
      is: undefined,
    },
    {
      what: 'a stopped server alone',
      options: {},
      env: ofVireo,
      exists: only('/srv/vireo/kubeconfig'),
      isRunning: stopped,
      is: '/srv/vireo/kubeconfig',
    },
  ])('$what decides', ({ options, env, exists, isRunning, is }) => {
    expect(kubeconfigFile(options, env, { exists, isRunning })).toEqual(is);
  });
});

it.each([
  { text: '30', ms: 30_000 },
  { text: '1m30s', ms: 90_000 },
  { text: '250ms', ms: 250 },
  { text: '0', ms: 2_147_483_647 },
])('$text is $ms ms', ({ text, ms }) => {
  expect(parseTimeout(text)).toBe(ms);
});

it.each(['', 'soon', '1m later', '-1s'])('"%s" is no time', (text) => {
  expect(() => parseTimeout(text)).toThrow('30s, 2m or 1h');
});
