/** Where templates are processed: subresources of their own group, in two versions of one shape. */
export const TEMPLATE_SUBRESOURCE_GROUP = 'subresources.template.kubevirt.io';
export const TEMPLATE_SUBRESOURCE_VERSIONS = ['v1beta1', 'v1alpha1'] as const;

/** Labels that only the system gives templates. */
export const TEMPLATE_LABEL_PREFIX = 'template.kubevirt.io/';
/** On what is made for a request, a label: the uid of the request. */
export const REQUEST_UID = `${TEMPLATE_LABEL_PREFIX}request-uid`;
