import type { PatchOperation } from '../../data/api.ts';
import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { isRecord } from './fields.ts';

/** A change below `spec.configuration`; an undefined value removes the field. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
}

const pointer = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * A JSON patch of what was touched, so that fields that the form does not know survive. It fails if somebody has changed
 * the spec meanwhile.
 */
export function patchFor(kubeVirt: KubeVirt, edits: readonly Edit[]): PatchOperation[] {
  const operations: PatchOperation[] = [];
  const { generation } = kubeVirt.metadata as { generation?: number };
  if (generation !== undefined) operations.push({ op: 'test', path: '/metadata/generation', value: generation });
  // Parents that an earlier edit has added.
  const added = new Set<string>();
  for (const edit of edits) {
    const path = ['spec', 'configuration', ...edit.path];
    const before = valueAt(kubeVirt, path);
    if (edit.value === undefined) {
      if (before !== undefined) operations.push({ op: 'remove', path: pointer(path) });
      continue;
    }
    for (let depth = 1; depth < path.length; depth += 1) {
      const parent = path.slice(0, depth);
      if (valueAt(kubeVirt, parent) !== undefined || added.has(pointer(parent))) continue;
      added.add(pointer(parent));
      operations.push({ op: 'add', path: pointer(parent), value: {} });
    }
    operations.push({ op: 'add', path: pointer(path), value: edit.value });
  }
  return operations;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const step of path) value = isRecord(value) ? value[step] : undefined;
  return value;
}

/** Which field a complaint of the server is about: the longest path that it begins with. */
export function fieldOf(field: string | undefined, keys: readonly string[]): string | undefined {
  const below = field?.replace(/^spec\.configuration\./, '');
  if (below === undefined) return undefined;
  return keys
    .filter((key) => below === key || below.startsWith(`${key}.`) || below.startsWith(`${key}[`))
    .sort((a, b) => b.length - a.length)[0];
}
