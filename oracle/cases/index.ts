import type { Case } from '../case.ts';
import { APPLY } from './apply.ts';
import { APPLY_ERRORS } from './applyErrors.ts';
import { CEL_COMPILATION } from './celCompilation.ts';
import { CEL_LIBRARIES } from './celLibraries.ts';
import { CEL_RUNTIME } from './celRuntime.ts';
import { CEL_SCHEMAS } from './celSchemas.ts';
import { CRD_LIFE } from './crdLife.ts';
import { CRD_SCHEMAS } from './crdSchemas.ts';
import { CRDS_CASES } from './crds.ts';
import { FIELD_VALIDATION } from './fieldValidation.ts';
import { MANAGED_FIELDS } from './managedFields.ts';
import { SUBRESOURCE_CASES } from './subresources.ts';
import { VALIDATION } from './validation.ts';
import { VERSIONS } from './versions.ts';

/** The cases that every run plays before the generated ones. */
export const CASES: readonly Case[] = [
  ...MANAGED_FIELDS,
  ...APPLY,
  ...APPLY_ERRORS,
  ...SUBRESOURCE_CASES,
  ...VERSIONS,
  ...FIELD_VALIDATION,
  ...VALIDATION,
  ...CRDS_CASES,
  ...CRD_SCHEMAS,
  ...CRD_LIFE,
  ...CEL_COMPILATION,
  ...CEL_SCHEMAS,
  ...CEL_RUNTIME,
  ...CEL_LIBRARIES,
];
