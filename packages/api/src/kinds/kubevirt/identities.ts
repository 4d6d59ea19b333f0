/** The users that the parts of an installation are where they have certificates, and the groups of those users. */

/** What a node is as a kubelet: for its Node, Lease and pods, and for what those pods name. */
export const kubeletUser = (node: string): string => `system:node:${node}`;
export const KUBELET_GROUP = 'system:nodes';

const NODE_USER = 'vireo:node:';
/** What a node is for everything else: VMIs, claims and volumes. Admission limits it to what is its own. */
export const nodeUser = (node: string): string => `${NODE_USER}${node}`;
export const NODE_GROUP = 'vireo:nodes';
/** The node that a user is; undefined for other users. */
export const nodeOfUser = (username: string): string | undefined =>
  username.startsWith(NODE_USER) ? username.slice(NODE_USER.length) || undefined : undefined;

/** What the extension is to the API server. */
export const EXTENSION_ACCOUNT_USER = 'system:serviceaccount:kubevirt:kubevirt-apiserver';
/** What an instance of the extension is to the nodes: whoever shows such a certificate may open their streams. */
export const extensionUser = (instance: string): string => `vireo:extension:${instance}`;
export const EXTENSION_GROUP = 'vireo:extensions';

/** The group of bootstrap tokens by which hosts join. */
export const JOINING_GROUP = 'system:bootstrappers:vireo:nodes';

/** On the Secret of a bootstrap token: the one node that it is for, which may be there already. */
export const TOKEN_NODE_ANNOTATION = 'vireo.io/node';
/** Names of the Secrets of bootstrap tokens, in kube-system: the prefix of a token's id. */
export const TOKEN_SECRET_PREFIX = 'bootstrap-token-';
/** The user that a bootstrap token is: the prefix of its id. */
export const TOKEN_USER_PREFIX = 'system:bootstrap:';

/** How the version of our agent ends, by which Nodes of Vireo are told from those of kubelets. */
export const AGENT_VERSION_SUFFIX = '+vireo';

/**
 * The ConfigMap that tells that a node was deleted by `vireo node delete`: the embedded server accepts no certificate of
 * the node that is older.
 */
export const deletedNodeRecord = (node: string) => ({ namespace: 'kube-system', name: `deleted-node.${node}` });
