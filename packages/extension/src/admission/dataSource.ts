import { deepEqual } from '@vireo/api/json.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { isComponent } from '../identity.ts';
import { sourceErrors } from './dataVolume.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/**
 * A DataSource stands only for what its writer may copy. Disks that name it were admitted by what it stood for then, and
 * are filled with what it stands for later.
 */
export const dataSourceValidation: ValidatingRule<DataSource> = {
  type: 'validating',
  webhook: 'datasource-validate.cdi.kubevirt.io',
  path: '/datasource-validate',
  kinds: [DataSource],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object: { metadata, spec }, oldObject, user }, context) {
    if (isComponent(user) || deepEqual(spec, oldObject?.spec)) return ALLOWED;
    const { pvc, snapshot } = spec.source;
    return {
      errors: await sourceErrors({ source: { pvc, snapshot } }, 'spec', metadata.namespace ?? '', user, context),
    };
  },
};
