/** Conflicts between managers, in Kubernetes' words. */
import { ApiError } from '@vireo/api';
import { type FieldSet, pathsOf } from './fieldSet.ts';
import type { Manager } from './managers.ts';
import { pathText } from './pathElement.ts';

/** A field that an apply would change, and who owns it. */
export interface Conflict {
  readonly owner: Manager;
  /** Such as `.spec.replicas`. */
  readonly field: string;
  /** The field alone. */
  readonly set: FieldSet;
}

/** One conflict for each contested field of an entry. */
export const conflictsWith = (owner: Manager, contested: FieldSet): Conflict[] =>
  [...pathsOf(contested)].map((path) => ({ owner, field: pathText(path), set: setOfPath(path) }));

const setOfPath = (path: readonly string[]): FieldSet =>
  path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), {});

/** The refusal of an apply: 409, with a cause for each field. */
export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const sorted = [...conflicts].sort((a, b) => compareText(identity(a.owner), identity(b.owner)));
  const causes = sorted.map(({ owner, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(owner)}`,
    field,
  }));
  return new ApiError('Conflict', conflictText(sorted), { causes });
}

function conflictText(conflicts: readonly Conflict[]): string {
  const [first] = conflicts as [Conflict];
  if (conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${managerText(first.owner)}: ${first.field}`;
  const lines: string[] = [];
  let owner: Manager | undefined;
  for (const conflict of conflicts) {
    if (conflict.owner !== owner) lines.push(`conflicts with ${managerText(conflict.owner)}:`);
    owner = conflict.owner;
    lines.push(`- ${conflict.field}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager = '', operation, apiVersion, subresource }: Manager): string {
  const below = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return `${JSON.stringify(manager)}${below}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

/** What Kubernetes sorts managers by. */
const identity = ({ manager, operation, apiVersion, subresource }: Manager): string =>
  JSON.stringify({
    ...(manager && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource && { subresource }),
  });

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
