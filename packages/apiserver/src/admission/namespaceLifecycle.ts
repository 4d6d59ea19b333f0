import { notFound } from '@vireo/api';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isAbout, refuse } from './refuse.ts';

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** Nothing is created in a namespace that is missing or on its way out; the system's namespaces stay. */
export const namespaceLifecycle = (lookup: Pick<Lookup, 'get'>): AdmissionPlugin => ({
  name: 'NamespaceLifecycle',
  mutate(request) {
    const { operation, kind, namespace, name } = request;
    if (operation === 'DELETE') {
      if (isAbout(request, '', 'namespaces') && IMMORTAL.has(name))
        throw refuse(request, 'this namespace may not be deleted');
      return;
    }
    // Reviews are answered, not kept; to refuse them here would tell strangers which namespaces exist.
    if (!kind.namespaced || kind.virtual || !namespace || operation === 'CONNECT') return;
    const found = lookup.get('', 'namespaces', undefined, namespace);
    if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (operation !== 'CREATE' || (found.status as { phase?: string } | undefined)?.phase !== 'Terminating') return;
    throw refuse(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  },
});
