import type { PodSpec, PodTemplateSpec } from '@vireo/api';
import { type Amounts, isFractional } from '../amounts.ts';

const NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
};

/** What is allowed in a pod's spec and yet hardly meant. */
export const podSpecWarnings = (spec: PodSpec | undefined, path: string): string[] => [
  ...Object.entries(NODE_LABELS)
    .filter(([label]) => spec?.nodeSelector?.[label] !== undefined)
    .map(([label, use]) => `${path}.nodeSelector[${label}]: deprecated since v1.14; use "${use}" instead`),
  ...(spec?.containers ?? []).flatMap((container, index) => {
    const at = `${path}.containers[${index}]`;
    return [...repeatedNames(container.env ?? [], at), ...fractionalBytes(container.resources ?? {}, at)];
  }),
];

/** The same for a workload's template. */
export const podTemplateWarnings = (template: PodTemplateSpec | undefined): string[] =>
  podSpecWarnings(template?.spec, 'spec.template.spec');

const repeatedNames = (env: readonly { name?: string }[], path: string): string[] =>
  env.flatMap(({ name = '' }, index) =>
    env.findIndex((variable) => variable.name === name) === index || name === ''
      ? []
      : [`${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`],
  );

const fractionalBytes = (
  resources: Readonly<Partial<Record<'limits' | 'requests', Amounts>>>,
  path: string,
): string[] =>
  (['limits', 'requests'] as const).flatMap((part) => {
    const memory = resources[part]?.memory;
    return memory === undefined || !isFractional(memory)
      ? []
      : [`${path}.resources.${part}[memory]: fractional byte value "${memory}" is invalid, must be an integer`];
  });
