import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { controllerOf } from '../../objects.ts';
import { type Infer, int64, opt, req, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { RawExtension } from '../meta/rawExtension.ts';

export const ControllerRevisionSchema = struct(
  'io.k8s.api.apps.v1.ControllerRevision',
  "A snapshot of a controller's state, to which it can roll back.",
  {
    ...objectFields,
    data: opt(2, RawExtension, 'The state in serialized form.'),
    revision: req(3, int64, 'Its place in the history.'),
  },
);
export interface ControllerRevision extends Infer<typeof ControllerRevisionSchema> {}

function controllerColumn(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (!owner) return '<none>';
  const [version = '', group = ''] = owner.apiVersion.split('/').reverse();
  const kind = owner.kind.toLowerCase();
  return `${version && group ? `${kind}.${group}` : kind}/${owner.name}`;
}

export const ControllerRevision = defineKind<ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
  schema: ControllerRevisionSchema,
  columns: [
    {
      name: 'Controller',
      type: 'string',
      description: 'Controller that the revision belongs to.',
      value: controllerColumn,
    },
    {
      name: 'Revision',
      type: 'string',
      description: 'Number of the revision.',
      value: (revision) => revision.revision,
    },
    ageColumn,
  ],
});
