import { type FieldError, fieldError } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

const OPERATIONS = ['add', 'remove', 'replace', 'test', 'move', 'copy'];
const PLACES = ['/spec/', '/metadata/labels/', '/metadata/annotations/'];
/** Disks could be filled from there with what only the system may read, for it is the system that makes the VM. */
const TEMPLATES = '/spec/dataVolumeTemplates';

/** What is wrong with the patches that a restore or a clone has for the VM that it makes. */
export const patchErrors = (path: string, patches: readonly string[] = []): FieldError[] =>
  patches.flatMap((patch, index) => {
    const field = `${path}[${index}]`;
    const why = patchProblem(patch);
    return why ? [fieldError(field, `${field}: ${why}`)] : [];
  });

function patchProblem(patch: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(patch);
  } catch {
    return `${JSON.stringify(patch)} is not valid JSON`;
  }
  for (const operation of Array.isArray(parsed) ? parsed : [parsed]) {
    if (!isObject(operation) || !OPERATIONS.includes(String(operation.op)))
      return `a JSON patch needs an op, one of ${OPERATIONS.join(', ')}`;
    for (const place of [operation.path, operation.from])
      if (place !== undefined && !PLACES.some((allowed) => String(place).startsWith(allowed)))
        return `${JSON.stringify(place)} cannot be patched; only fields below ${PLACES.join(', ')} can`;
    for (const place of [operation.path, operation.from])
      if (String(place ?? '').startsWith(TEMPLATES))
        return `${TEMPLATES} cannot be patched, because the disks come from the snapshot`;
    if (operation.path === undefined) return 'a JSON patch needs a path';
  }
  return undefined;
}
