import { forbidden } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import {
  type ClusterConfig,
  expandVm,
  findInstancetypeAndPreference,
  MATCHER_FIELDS,
  MatcherError,
  matcherKind,
} from '@vireo/hypervisor';
import type { Client, UserInfo } from '@vireo/kube';
import { reviewAccess } from '../authorize.ts';
import type { Related } from '../objectgraph/related.ts';
import { serverLookup } from './lookup.ts';

/** What looking things up for a user takes. */
export interface LookupContext {
  readonly client: Client;
  readonly config: () => Promise<ClusterConfig>;
  /** Objects that name a VM. */
  readonly related: Related;
  readonly user: UserInfo;
  /** Tells whoever asks something beside the response. */
  readonly warn: (text: string) => void;
}

/** Returns the VM with its instance type and preference expanded. `refuse` words what stands in the way. */
export async function expandForUser(
  vm: VirtualMachine,
  { client, config, user }: Pick<LookupContext, 'client' | 'config' | 'user'>,
  refuse: (why: string) => Error,
): Promise<VirtualMachine> {
  if (!vm.spec.instancetype && !vm.spec.preference) return vm;
  try {
    await requireTypesReadable(vm, client, user);
    const { types } = await findInstancetypeAndPreference(vm, serverLookup(client));
    const { vm: expanded, conflicts } = expandVm(vm, types, await config());
    if (conflicts.length > 0) throw refuse(conflicts.map(({ text }) => text).join(', '));
    return expanded;
  } catch (error) {
    throw error instanceof MatcherError ? refuse(error.message) : error;
  }
}

/** What is written out is shown: the user must be allowed to see it where it comes from. */
async function requireTypesReadable(vm: VirtualMachine, client: Client, user: UserInfo): Promise<void> {
  for (const field of MATCHER_FIELDS) {
    const matcher = vm.spec[field];
    if (!matcher) continue;
    const kind = matcherKind(field, matcher);
    const resource = { group: kind.group, resource: kind.plural };
    const { name = '' } = matcher;
    const access = { verb: 'get', ...resource, name, ...(kind.namespaced && { namespace: vm.metadata.namespace }) };
    const { allowed, reason } = await reviewAccess(client, user, access);
    if (!allowed)
      throw forbidden(resource, name, reason || `User "${user.username}" cannot get resource "${kind.plural}"`);
  }
}
