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
  if (fields) checkFields(resource.kind, fields);
  const name = fields?.exactValue('metadata.name');
  const matches = (object: UnknownObject): boolean =>
    (!labels || labels.matches(object.metadata.labels ?? {})) &&
    (!fields || fields.matches((path) => fieldValue(resource.kind, object, path)));
  return name === undefined ? { matches } : { name, matches };
}

function checkFields(kind: Kind, selector: FieldSelector): void {
  for (const { field } of selector.requirements) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && kind.namespaced)) continue;
    if (!Object.hasOwn(kind.selectableFields, field)) throw badRequest(`field label not supported: ${field}`);
  }
}

function fieldValue(kind: Kind, object: UnknownObject, path: string): string {
  if (path === 'metadata.name') return object.metadata.name ?? '';
  if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
  return kind.selectableFields[path]?.(object) ?? '';
}
