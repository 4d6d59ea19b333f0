import { notFound, pathMethodNotAllowed, pathNotFound } from '@vireo/api';
import type { ApiResponse } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';

/** The only one below which further paths are. */
const PROXY = 'proxy';

export type SubresourceHandler = (context: VerbContext) => Promise<ApiResponse>;

/** Who answers paths below an object: by resource and name (`pods/binding`), or by name for every kind that has it. */
export class SubresourceTable {
  readonly #handlers = new Map<string, Readonly<Record<string, SubresourceHandler>>>();

  /** `resource` is `group/plural`, or `*`; the verbs are RBAC's (`get`, `update`, `patch`, `create`). */
  add(resource: string, subresource: string, verbs: Readonly<Record<string, SubresourceHandler>>): void {
    this.#handlers.set(`${resource} ${subresource}`, verbs);
  }

  async handle(context: VerbContext): Promise<ApiResponse> {
    const { info, resource } = context;
    const { group, plural } = resource.kind;
    const verbs =
      this.#handlers.get(`${group}/${plural} ${info.subresource}`) ?? this.#handlers.get(`* ${info.subresource}`);
    if (!verbs || !offers(context) || (info.rest.length > 0 && info.subresource !== PROXY))
      throw resource.custom ? notFound(groupResource(resource), info.name) : pathNotFound();
    const handler = verbs[info.verb];
    if (!handler) throw pathMethodNotAllowed();
    return handler(context);
  }
}

function offers({ resource, info }: VerbContext): boolean {
  const { kind } = resource;
  if (info.subresource === 'status') return kind.status;
  if (info.subresource === 'scale') return kind.scale !== undefined;
  return kind.subresources.some(({ name }) => name === info.subresource);
}
