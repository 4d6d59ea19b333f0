import { expect, it } from 'vitest';
import { kubeconfigFile } from './connectionOptions.ts';

const env = { VIREO_HOME: '/home/of/vireo', HOME: '/home/me' };
const always = () => true;
const never = () => false;

it.each([
  {
    what: 'the flag',
    options: { kubeconfig: 'mine' },
    env: { ...env, KUBECONFIG: 'other' },
    exists: always,
    is: 'mine',
  },
  { what: 'KUBECONFIG', options: {}, env: { ...env, KUBECONFIG: 'other' }, exists: always, is: undefined },
  { what: 'the home', options: {}, env, exists: always, is: '/home/of/vireo/kubeconfig' },
  { what: '~/.kube/config', options: {}, env, exists: never, is: undefined },
])('$what decides which server is meant', ({ options, env, exists, is }) => {
  expect(kubeconfigFile(options, env, exists)).toBe(is);
});
