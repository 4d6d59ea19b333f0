import type { ServiceAccount } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { each, requiredText } from '../fields.ts';

export const serviceAccountStrategy = defineStrategy<ServiceAccount>({
  validate: (account) =>
    each(account.imagePullSecrets, 'imagePullSecrets', ({ name }, path) => requiredText(`${path}.name`, name)),
});
