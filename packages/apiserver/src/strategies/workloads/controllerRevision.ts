import { type ControllerRevision, field } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { nonNegative } from '../fields.ts';
import { immutable } from '../immutable.ts';

export const controllerRevisionStrategy = defineStrategy<ControllerRevision>({
  validate: (revision) => [
    ...(revision.data === undefined || revision.data === null ? [field.required('data', 'data is mandatory')] : []),
    ...nonNegative('revision', revision.revision),
  ],
  validateUpdate: (revision, old) => immutable('data', revision.data, old.data),
});
