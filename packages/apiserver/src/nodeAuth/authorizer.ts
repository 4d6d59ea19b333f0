import { parseFieldSelector } from '@vireo/api/fieldSelector.ts';
import type { Decision } from '../rbac/authorize.ts';
import { type Attributes, ruleAllows } from '../rbac/match.ts';
import { NODE_RULES } from '../rbac/policy.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { NodeGraph } from './graph.ts';
import { nodeNameOf } from './identity.ts';
import type { Referenced } from './references.ts';

const ALLOWED: Decision = { allowed: true, reason: '' };
const refused = (reason: string): Decision => ({ allowed: false, reason });
const NO_OPINION = refused('');

const LEASE_VERBS = ['get', 'create', 'update', 'patch', 'delete'];
const READS = ['get', 'list', 'watch'];

/**
 * What nodes may do, as in Kubernetes: their own Node, Lease and pods, and what those pods name; everything else by
 * fixed rules. A refusal is not final: RBAC is asked next, and roles can be bound to a node's user.
 */
export class NodeAuthorizer {
  readonly #graph: () => NodeGraph;
  readonly #lookup: Pick<Lookup, 'get'>;

  /** `graph` is asked for when the first node asks for something: without nodes, none is built. */
  constructor(graph: () => NodeGraph, lookup: Pick<Lookup, 'get'>) {
    this.#graph = graph;
    this.#lookup = lookup;
  }

  /** Undefined for users who are no nodes. */
  authorize(attributes: Attributes): Decision | undefined {
    const nodeName = nodeNameOf(attributes.user);
    if (nodeName === undefined) return undefined;
    if (nodeName === '') return refused(`unknown node for user ${JSON.stringify(attributes.user.username)}`);
    const own = attributes.path === undefined ? this.#ofResource(nodeName, attributes) : undefined;
    return own ?? (NODE_RULES.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : NO_OPINION);
  }

  /** Undefined for resources that all nodes share. */
  #ofResource(nodeName: string, attributes: Attributes): Decision | undefined {
    switch (`${attributes.group ?? ''}/${attributes.resource}`) {
      case '/secrets':
        return this.#read(nodeName, 'secrets', attributes);
      case '/configmaps':
        return this.#read(nodeName, 'configmaps', attributes);
      case '/persistentvolumeclaims':
        return attributes.subresource === 'status'
          ? this.#updateStatus(nodeName, 'persistentvolumeclaims', attributes)
          : this.#get(nodeName, 'persistentvolumeclaims', attributes);
      case '/persistentvolumes':
        return this.#get(nodeName, 'persistentvolumes', attributes);
      case 'resource.k8s.io/resourceclaims':
        return this.#get(nodeName, 'resourceclaims', attributes);
      case 'storage.k8s.io/volumeattachments':
        return this.#getAttachment(nodeName, attributes);
      case '/serviceaccounts':
        return this.#createToken(nodeName, attributes);
      case 'coordination.k8s.io/leases':
        return ofLease(nodeName, attributes);
      case 'storage.k8s.io/csinodes':
        return ofCsiNode(nodeName, attributes);
      case 'resource.k8s.io/resourceslices':
        return this.#ofSlice(nodeName, attributes);
      case '/nodes':
        return ofNode(nodeName, attributes);
      case '/pods':
        return this.#ofPod(nodeName, attributes);
      default:
        return undefined;
    }
  }

  #related(
    nodeName: string,
    resource: Referenced | 'persistentvolumes',
    { namespace = '', name }: Attributes,
  ): Decision {
    if (!name) return refused('No Object name found');
    return this.#graph().leadsTo(nodeName, resource, namespace, name) ? ALLOWED : unrelated(nodeName);
  }

  #read(nodeName: string, resource: Referenced, attributes: Attributes): Decision {
    if (!READS.includes(attributes.verb)) return refused('can only read resources of this type');
    if (attributes.subresource) return refused('cannot read subresource');
    if (!attributes.namespace) return refused('can only read namespaced object of this type');
    return this.#related(nodeName, resource, attributes);
  }

  #get(nodeName: string, resource: Referenced | 'persistentvolumes', attributes: Attributes): Decision {
    return onlyGet(attributes) ?? this.#related(nodeName, resource, attributes);
  }

  #getAttachment(nodeName: string, attributes: Attributes): Decision {
    const isOwn = (): boolean => {
      const found = this.#lookup.get('storage.k8s.io', 'volumeattachments', undefined, attributes.name ?? '');
      return (found?.spec as { nodeName?: string } | undefined)?.nodeName === nodeName;
    };
    return onlyGet(attributes) ?? (isOwn() ? ALLOWED : unrelated(nodeName));
  }

  #updateStatus(nodeName: string, resource: Referenced, attributes: Attributes): Decision {
    if (attributes.verb !== 'update' && attributes.verb !== 'patch')
      return refused('can only get/update/patch this type');
    return this.#related(nodeName, resource, attributes);
  }

  #createToken(nodeName: string, attributes: Attributes): Decision {
    if (attributes.verb !== 'create' || !attributes.name)
      return refused('can only create tokens for individual service accounts');
    if (attributes.subresource !== 'token') return refused('can only create token subresource of serviceaccount');
    return this.#related(nodeName, 'serviceaccounts', attributes);
  }

  #ofPod(nodeName: string, attributes: Attributes): Decision {
    const { verb, subresource = '', name } = attributes;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : NO_OPINION;
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : NO_OPINION;
    if (subresource !== '') return NO_OPINION;
    // Admission limits these to pods of the node.
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (verb === 'get') return this.#get(nodeName, 'pods', attributes);
    if (verb !== 'list' && verb !== 'watch') return NO_OPINION;
    if (selectsField(attributes, 'spec.nodeName', nodeName)) return ALLOWED;
    if (name) return this.#related(nodeName, 'pods', attributes);
    return refused('can only list/watch pods with spec.nodeName field selector');
  }

  #ofSlice(nodeName: string, attributes: Attributes): Decision {
    const { verb, name = '' } = attributes;
    if (attributes.subresource) return refused('cannot authorize ResourceSlice subresources');
    if (verb === 'create') return ALLOWED;
    if (['get', 'update', 'patch', 'delete'].includes(verb)) {
      const slice = this.#lookup.get('resource.k8s.io', 'resourceslices', undefined, name);
      const isOwn = (slice?.spec as { nodeName?: string } | undefined)?.nodeName === nodeName;
      return isOwn ? ALLOWED : unrelated(nodeName);
    }
    if (!['list', 'watch', 'deletecollection'].includes(verb))
      return refused(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
    return selectsField(attributes, 'spec.nodeName', nodeName)
      ? ALLOWED
      : refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
  }
}

const unrelated = (nodeName: string): Decision =>
  refused(`no relationship found between node '${nodeName}' and this object`);

function onlyGet({ verb, subresource }: Attributes): Decision | undefined {
  if (verb !== 'get') return refused('can only get individual resources of this type');
  return subresource ? refused('cannot get subresource') : undefined;
}

function selectsField({ fieldSelector }: Attributes, field: string, value: string): boolean {
  if (!fieldSelector) return false;
  try {
    return parseFieldSelector(fieldSelector).exactValue(field) === value;
  } catch {
    // What cannot be read selects nothing; the verb says what is wrong with it.
    return false;
  }
}

function ofNode(nodeName: string, { verb, subresource = '', name = '' }: Attributes): Decision {
  const isWrite = verb === 'update' || verb === 'patch';
  // Admission limits writes to the node's own object.
  if (subresource === 'status') return isWrite ? ALLOWED : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (isWrite || verb === 'create') return ALLOWED;
  if (!READS.includes(verb)) return NO_OPINION;
  if (name === nodeName) return ALLOWED;
  return refused(
    name === ''
      ? `node '${nodeName}' cannot read all nodes, only its own Node object`
      : `node '${nodeName}' cannot read '${name}', only its own Node object`,
  );
}

function ofLease(nodeName: string, { verb, namespace, name }: Attributes): Decision {
  if (!LEASE_VERBS.includes(verb)) return refused('can only get, create, update, patch, or delete a node lease');
  if (namespace !== 'kube-node-lease')
    return refused('can only access leases in the "kube-node-lease" system namespace');
  // The name of a new one is in the body: admission looks at it.
  if (verb !== 'create' && name !== nodeName)
    return refused('can only access node lease with the same name as the requesting node');
  return ALLOWED;
}

function ofCsiNode(nodeName: string, { verb, subresource, name }: Attributes): Decision {
  if (!LEASE_VERBS.includes(verb)) return refused('can only get, create, update, patch, or delete a CSINode');
  if (subresource) return refused('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== nodeName)
    return refused('can only access CSINode with the same name as the requesting node');
  return ALLOWED;
}
