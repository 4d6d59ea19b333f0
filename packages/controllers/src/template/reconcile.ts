import { controllerReference, isControlledBy, isDeleting, type Persisted } from '@vireo/api';
import { TEMPLATE_ID } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { type Client, keyOf } from '@vireo/kube';
import { newDefault, newNumbers, templateStatus, versionStatus } from './status.ts';

type Version = Persisted<VirtualMachineTemplateVersion>;

/** What is known beside the template itself. */
export interface TemplateContext {
  readonly client: Client;
  /** Of a key such as `default/debian`. */
  readonly imageOf: (id: string) => VirtualMachineImage | undefined;
  readonly now: Date;
}

/**
 * Gives the versions of a template their numbers, owner and conditions, and the template its default version.
 * `cached`: its versions as they are known here; where one has no number, the server is asked, for two must not get one.
 */
export async function reconcileTemplate(
  template: Persisted<HarvesterTemplate>,
  cached: readonly Version[],
  context: TemplateContext,
): Promise<void> {
  if (isDeleting(template)) return;
  const { client } = context;
  const isNew = cached.some((version) => version.status?.version === undefined);
  const versions = isNew ? await readVersions(template, client) : cached;
  const current = isNew ? await client.of(HarvesterTemplate).find(...placeOf(template)) : template;
  if (!current || isDeleting(current)) return;
  const numbers = newNumbers(current, versions);
  const written: Version[] = [];
  for (const version of versions)
    written.push(await writeVersion(version, numbers.get(version) ?? version.status?.version, current, context));
  await writeTemplate(current, written, client);
}

const placeOf = ({ metadata }: Persisted): [name: string, place: { namespace: string | undefined }] => [
  metadata.name,
  { namespace: metadata.namespace },
];

async function readVersions(template: Persisted<HarvesterTemplate>, client: Client): Promise<Version[]> {
  const { namespace } = template.metadata;
  const { items } = await client.of(VirtualMachineTemplateVersion).list({ namespace });
  return items.filter(({ spec }) => spec.templateId === keyOf(template));
}

async function writeVersion(
  version: Version,
  number: number | undefined,
  template: Persisted<HarvesterTemplate>,
  { client, imageOf, now }: TemplateContext,
): Promise<Version> {
  if (number === undefined || isDeleting(version)) return version;
  const versions = client.of(VirtualMachineTemplateVersion);
  const owned = isControlledBy(version, template)
    ? version
    : await versions.patchIfUnchanged(version, {
        metadata: {
          labels: { [TEMPLATE_ID]: template.metadata.name },
          ownerReferences: [
            ...(version.metadata.ownerReferences ?? []),
            controllerReference(template, HarvesterTemplate),
          ],
        },
      });
  return (await versions.writeStatus(owned, versionStatus(owned, number, imageOf, now))) ?? owned;
}

async function writeTemplate(
  template: Persisted<HarvesterTemplate>,
  versions: readonly Version[],
  client: Client,
): Promise<void> {
  const templates = client.of(HarvesterTemplate);
  const defaultVersionId = newDefault(template, versions);
  const chosen = defaultVersionId
    ? await templates.patchIfUnchanged(template, { spec: { defaultVersionId } })
    : template;
  await templates.writeStatus(chosen, templateStatus(chosen, versions));
}
