import type { KubeObject } from '../../data/kinds.ts';

/** A template of Harvester, as far as it is chosen by. */
export interface HarvesterTemplate extends KubeObject {
  readonly spec?: { readonly defaultVersionId?: string; readonly description?: string };
}

/** A version of it, without the VM that it keeps. */
export interface TemplateVersion extends KubeObject {
  readonly spec?: { readonly templateId?: string; readonly description?: string };
  readonly status?: { readonly version?: number };
}

/** What a template of KubeVirt wants to be told. */
export interface TemplateParameter {
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly value?: string;
  readonly generate?: string;
  readonly required?: boolean;
}

export interface KubeVirtTemplate extends KubeObject {
  readonly spec?: { readonly parameters?: readonly TemplateParameter[] };
}

/** Lists of templates are watched, and the machines in them are large. */
export const harvesterTemplate = ({ metadata: { name, namespace }, spec }: HarvesterTemplate): HarvesterTemplate => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...(spec && { spec }),
});

/** The same for versions. */
export const templateVersion = ({ metadata: { name, namespace }, spec, status }: TemplateVersion): TemplateVersion => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: {
    ...(spec?.templateId !== undefined && { templateId: spec.templateId }),
    ...(spec?.description !== undefined && { description: spec.description }),
  },
  ...(status?.version !== undefined && { status: { version: status.version } }),
});

/** The same for KubeVirt's. */
export const kubeVirtTemplate = ({ metadata: { name, namespace }, spec }: KubeVirtTemplate): KubeVirtTemplate => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: { parameters: spec?.parameters ?? [] },
});

const idOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** A version to choose: its `namespace/name`, and how it is called. */
export type VersionChoice = readonly [id: string, title: string];

/** The versions of a template, the default one first and then the newest. */
export function versionsOf(template: HarvesterTemplate, versions: readonly TemplateVersion[]): VersionChoice[] {
  const isDefault = (each: TemplateVersion): boolean => idOf(each) === template.spec?.defaultVersionId;
  const number = ({ status }: TemplateVersion): number => status?.version ?? 0;
  return versions
    .filter(({ spec }) => spec?.templateId === idOf(template))
    .sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)) || number(b) - number(a))
    .map((each) => {
      const { status, spec, metadata } = each;
      const title = status?.version === undefined ? metadata.name : `Version ${status.version}`;
      return [
        idOf(each),
        `${title}${isDefault(each) ? ' (default)' : ''}${spec?.description ? `: ${spec.description}` : ''}`,
      ];
    });
}

/** What is sent to process a template: what is empty is left to the template. */
export const givenParameters = (typed: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));

/** Parameters without a value that nobody but the user has. */
export const missingParameters = (
  parameters: readonly TemplateParameter[],
  typed: Readonly<Record<string, string>>,
): string[] =>
  parameters
    .filter(({ name, required, value, generate }) => required && !value && !generate && !typed[name])
    .map(({ name, displayName }) => displayName || name);
