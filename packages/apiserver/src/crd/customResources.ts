import { deepEqual } from '@vireo/api/json.ts';
import type { Registry } from '../registry/registry.ts';
import { type Resource, storagePrefix } from '../registry/resource.ts';
import { customStrategy } from '../strategies/index.ts';
import { customKind } from './kind.ts';
import { type Crd, hasCondition } from './types.ts';

/** Keeps the served resources in step with the CustomResourceDefinitions. */
export class CustomResources {
  readonly #registry: Registry;
  readonly #served = new Map<string, { crd: Crd; resources: Resource[] }>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Serves an established definition as it is now. Changes of its status alone change nothing. */
  update(crd: Crd): void {
    const name = crd.metadata.name as string;
    const known = this.#served.get(name);
    if (!hasCondition(crd, 'Established')) {
      this.remove(crd);
      return;
    }
    if (known && deepEqual(known.crd.spec, crd.spec) && isTerminating(known.crd) === isTerminating(crd)) return;
    this.remove(crd);
    const prefix = storagePrefix(crd.spec.group, crd.spec.names.plural);
    const resources = crd.spec.versions
      .filter(({ served }) => served)
      .map((version): Resource => {
        const kind = customKind(crd, version);
        const verbs = isTerminating(crd) ? kind.verbs.filter((verb) => verb !== 'create') : kind.verbs;
        return { kind: { ...kind, verbs }, strategy: customStrategy, prefix, custom: true };
      });
    for (const resource of resources) this.#registry.add(resource);
    this.#served.set(name, { crd, resources });
  }

  remove(crd: Crd): void {
    const name = crd.metadata.name as string;
    for (const resource of this.#served.get(name)?.resources ?? []) this.#registry.remove(resource);
    this.#served.delete(name);
  }
}

const isTerminating = (crd: Crd): boolean => crd.metadata.deletionTimestamp !== undefined;
