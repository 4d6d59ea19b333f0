import { groupVersion } from '@vireo/api';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { listOf } from '../../actions/responses.ts';
import { harvesterAction } from '../action.ts';

const { group, version, plural, listKind } = VirtualMachineTemplateVersion;

export const versions = harvesterAction('virtualmachinetemplates')({
  name: 'versions',
  method: 'GET',
  minimumRole: 'view',
  summary: 'Lists the versions of the template, by number.',
  response: { status: 200, schema: listOf(VirtualMachineTemplateVersion) },
  isLink: true,
  isListed: () => true,
  needs: [{ apiGroups: [group], resources: [plural], verbs: ['list'] }],
  decide: ({ object }) => ({
    type: 'respond',
    async respond({ client }) {
      const { namespace, name } = object.metadata;
      const { items, metadata } = await client.of(VirtualMachineTemplateVersion).list({ namespace });
      const own = items.filter(({ spec }) => spec.templateId === `${namespace}/${name}`);
      const number = (each: VirtualMachineTemplateVersion): number => each.status?.version ?? Number.MAX_SAFE_INTEGER;
      return {
        apiVersion: groupVersion(group, version),
        kind: listKind,
        metadata: { resourceVersion: metadata.resourceVersion },
        items: own.toSorted((a, b) => number(a) - number(b)),
      };
    },
  }),
});
