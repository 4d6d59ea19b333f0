/**
 * The original checks a definition in the form of an older API version: what is the same in all versions stands once,
 * at the top, and errors name it there.
 */
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion as Version } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';

/** The parts of a version that move to the top where all versions have the same. */
const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

type Parts = Pick<Version, (typeof PARTS)[number]>;

/** A definition in that form. */
export interface HubSpec {
  readonly top: Parts;
  /** Without what stands at the top. */
  readonly versions: readonly Version[];
}

/** Moves to the top what all versions share. */
export function hubSpec({ versions = [] }: Partial<CustomResourceDefinitionSpec>): HubSpec {
  const [first] = versions;
  if (!first) return { top: {}, versions };
  const shared = PARTS.filter((part) => versions.every((version) => deepEqual(version[part], first[part])));
  return {
    top: Object.fromEntries(shared.flatMap((part) => (first[part] === undefined ? [] : [[part, first[part]]]))),
    versions: versions.map((version) => {
      const own = { ...version };
      for (const part of shared) delete own[part];
      return own;
    }),
  };
}
