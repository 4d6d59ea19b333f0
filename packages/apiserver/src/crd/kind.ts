import { type Column, defineKind, type Kind, type KubeObject, type Schema } from '@vireo/api';
import { compileJsonPath } from '@vireo/api/jsonPath.ts';
import { objectFields } from '@vireo/api/meta.ts';
import { schemaFromJson } from '@vireo/api/openapi.ts';
import type { Crd, CrdNames, CrdVersion } from './types.ts';

/** The kind that one version of a CustomResourceDefinition describes. */
export function customKind(crd: Crd, version: CrdVersion): Kind {
  const { group, scope } = crd.spec;
  const names = acceptedNames(crd);
  const { subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  return defineKind<KubeObject>({
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    ...(names.singular && { singular: names.singular }),
    ...(names.listKind && { listKind: names.listKind }),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    schema: customSchema(crd, version),
    status: subresources?.status !== undefined,
    ...(subresources?.scale && { scale: subresources.scale }),
    generation: true,
    columns: additionalPrinterColumns.map(
      (column): Column => ({
        name: column.name,
        type: column.type as Column['type'],
        ...(column.format !== undefined && { format: column.format }),
        ...(column.description !== undefined && { description: column.description }),
        ...(column.priority !== undefined && { priority: column.priority }),
        jsonPath: column.jsonPath,
      }),
    ),
    selectableFields: Object.fromEntries(
      selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), reader(jsonPath)]),
    ),
  });
}

/** What the status of an established definition says is what is served: another kind may have had a new name first. */
const acceptedNames = ({ spec, status }: Crd): CrdNames =>
  status?.acceptedNames?.kind ? status.acceptedNames : spec.names;

function customSchema(crd: Crd, version: CrdVersion): Schema<KubeObject> {
  const json = version.schema?.openAPIV3Schema;
  const schema: Schema = json ? schemaFromJson(json) : { type: 'object', preserveUnknownFields: true };
  return {
    ...schema,
    type: 'object',
    name: `${crd.spec.group.split('.').reverse().join('.')}.${version.name}.${acceptedNames(crd).kind}`,
    properties: { ...schema.properties, ...objectFields },
    ...(crd.spec.preserveUnknownFields && { preserveUnknownFields: true }),
  } as Schema<KubeObject>;
}

function reader(path: string): (object: KubeObject) => string {
  const compiled = compileJsonPath(path);
  return (object) => {
    const value = compiled(object)[0];
    return value === undefined || value === null ? '' : String(value);
  };
}
