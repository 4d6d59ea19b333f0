import { badRequest, type Kind, type UnknownObject } from '@vireo/api';
import { type FieldSelector, parseFieldSelector } from '@vireo/api/fieldSelector.ts';
import { parseLabelSelector } from '@vireo/api/labelSelector.ts';
import type { Resource } from '../registry/resource.ts';

/** Which objects of a collection a list or watch is about. */
export interface Selection {
  /** Set when the field selector names one object: the watch can go by its key. */
  readonly name?: string;
  /** Undefined: everything matches. */
  readonly matches?: (object: UnknownObject) => boolean;
}

const EVERYTHING: Selection = {};

export function parseSelection(resource: Resource, labelText: string, fieldText: string): Selection {
  if (labelText === '' && fieldText === '') return EVERYTHING;
  const labels = labelText === '' ? undefined : parseLabelSelector(labelText);
  const fields = fieldText === '' ? undefined : parseFieldSelector(fieldText);
  if (fields) checkFields(resource, fields);
  const name = fields?.exactValue('metadata.name');
  const matches = (object: UnknownObject): boolean =>
    (!labels || labels.matches(object.metadata.labels ?? {})) &&
    (!fields || fields.matches((path) => fieldValue(resource.kind, object, path)));
  return name === undefined ? { matches } : { name, matches };
}

/** Built-in kinds without fields of their own to select by share one rule, and its words. */
function checkFields({ kind, custom }: Resource, selector: FieldSelector): void {
  const isPlain = !custom && Object.keys(kind.selectableFields).length === 0;
  for (const { field } of selector.requirements) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && (kind.namespaced || isPlain))) continue;
    if (Object.hasOwn(kind.selectableFields, field)) continue;
    throw badRequest(
      isPlain
        ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    );
  }
}

function fieldValue(kind: Kind, object: UnknownObject, path: string): string {
  if (path === 'metadata.name') return object.metadata.name ?? '';
  if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
  return kind.selectableFields[path]?.(object) ?? '';
}
