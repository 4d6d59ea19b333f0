import type { Namespace } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { finalizerDomainErrors } from '@vireo/api/validateMeta.ts';
import { defineStrategy } from '../define.ts';
import { each, invalidFor } from '../fields.ts';
import { restore } from '../immutable.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaceStrategy = defineStrategy<Namespace>({
  nameRule: 'label',
  plainDeletion: true,

  prepareForCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = {
      ...namespace.spec,
      finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
    };
    namespace.status = { phase: 'Active' };
    labelWithName(namespace);
  },

  prepareForUpdate(namespace, old, { subresource }) {
    if (subresource === 'finalize') {
      namespace.metadata = old.metadata;
      namespace.spec = { ...old.spec, finalizers: namespace.spec?.finalizers ?? [] };
      restore(namespace, old, 'status');
      return;
    }
    restore(namespace, old, 'spec');
    labelWithName(namespace);
  },

  validate: (namespace) =>
    each(namespace.spec?.finalizers, 'spec.finalizers', (finalizer) => [
      ...invalidFor('spec.finalizers', finalizer, qualifiedNameErrors(finalizer)),
      ...finalizerDomainErrors(finalizer, 'spec.finalizers'),
    ]),

  beginDelete(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' };
  },

  holdsDeletion: (namespace) => (namespace.spec?.finalizers ?? []).length > 0,
});

/** Selectors pick a namespace by name through this label, so it always tells the truth. */
function labelWithName({ metadata }: Namespace): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name };
}
