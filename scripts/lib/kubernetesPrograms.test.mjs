import { expect, it } from 'vitest';
import { parseKubernetesVersion } from './kubernetesPrograms.mjs';

it.each([
  ['Kubernetes v1.31.4\n', { minor: 31, text: '1.31.4' }],
  ['Kubernetes v1.30.2-gke.100\n', { minor: 30, text: '1.30.2-gke.100' }],
  ['no such file', undefined],
])('the version in %j', (text, version) => {
  expect(parseKubernetesVersion(text)).toEqual(version);
});
