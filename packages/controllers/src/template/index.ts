import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { reconcileTemplate } from './reconcile.ts';
import { imagesOf } from './status.ts';

/** Numbers the versions of Harvester's templates, and says which of them VMs can be created from. */
export async function startTemplateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const templates = informers.for(HarvesterTemplate);
  const versions = informers.for(VirtualMachineTemplateVersion, {
    indexes: { template: ({ spec }) => [spec.templateId], image: (version) => imagesOf(version).ids },
  });
  const images = informers.for(VirtualMachineImage);
  const templateOf = ({ spec }: VirtualMachineTemplateVersion): string => spec.templateId;

  await runController(
    {
      name: 'template',
      for: templates,
      watches: [
        watch(versions, templateOf),
        watch(images, (image) => versions.byIndex('image', keyOf(image)).map(templateOf)),
      ],
      reconcile: async (key) => {
        const template = templates.get(key);
        if (!template) return;
        const imageOf = (id: string): VirtualMachineImage | undefined => images.get(id);
        const now = new Date(clock.now());
        await reconcileTemplate(template, versions.byIndex('template', key), { client, imageOf, now });
      },
    },
    context,
    signal,
  );
}
