import type { AdmissionRequest } from './admission.ts';

const isNamespace = ({ kind }: AdmissionRequest): boolean => kind.group === '' && kind.plural === 'namespaces';

/** The namespace that a request is about; of a request for a namespace, that one. */
export const namespaceOf = (request: AdmissionRequest): string =>
  request.namespace ?? (isNamespace(request) ? request.name : '');

/** The namespace whose object expressions see: none for namespaces themselves. */
export const objectNamespaceOf = (request: AdmissionRequest): string =>
  isNamespace(request) ? '' : (request.namespace ?? '');
