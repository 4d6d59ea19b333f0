import { defineKind, type Schema, type UnknownObject } from '@vireo/api';
import { apply } from '../managedFields/apply.ts';
import type { Typed } from '../managedFields/convert.ts';
import type { FieldSet } from '../managedFields/fieldSet.ts';
import type { Manager, ManagerName } from '../managedFields/managers.ts';
import { membersOf } from '../managedFields/members.ts';
import { typeErrors } from '../managedFields/typeErrors.ts';
import { trackUpdate } from '../managedFields/update.ts';
import { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';

/** A kind in one or more versions, each with a schema for the fields of its objects. */
export function typedBy(versions: Readonly<Record<string, Schema>>): Typed {
  const registry = new Registry();
  const resources = Object.entries(versions).map(([version, schema]): Resource => {
    const kind = defineKind({
      group: 'example.com',
      version,
      kind: 'Thing',
      plural: 'things',
      namespaced: true,
      schema: schema as Schema<UnknownObject>,
      status: false,
    });
    return { kind: kind as Resource['kind'], strategy: {}, prefix: 'example.com/things', custom: true };
  });
  for (const resource of resources) registry.add(resource);
  return { resource: resources[0] as Resource, registry };
}

/** An object that managers write one after the other, without a server. */
export class AppliedObject {
  readonly #typed: Typed;
  #object: UnknownObject | undefined;
  #managers: readonly Manager[] = [];

  constructor(typed: Typed) {
    this.#typed = typed;
  }

  /** Its fields, without type and metadata. */
  get fields(): object {
    const { apiVersion: _v, kind: _k, metadata: _m, ...fields } = this.#object ?? ({} as UnknownObject);
    return fields;
  }

  /** Who owns what. */
  get owners(): Record<string, FieldSet> {
    return Object.fromEntries(this.#managers.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
  }

  /** A write that is no apply. */
  update(manager: string, fields: object): this {
    const object = this.#with(fields);
    const name = this.#name(manager, 'Update');
    this.#managers = trackUpdate(this.#typed, this.#object, object, this.#managers, name);
    this.#object = object;
    return this;
  }

  /** Applies in the version that `at` names, by default the first. */
  apply(manager: string, fields: object, { force = false, at = this.#typed } = {}): this {
    const { kind } = at.resource;
    const config = this.#with(fields, `${kind.group}/${kind.version}`);
    const errors = typeErrors(config, kind.schema);
    if (errors.length > 0) throw new Error(errors.join('\n'));
    const applied = apply({
      typed: at,
      live: this.#object ?? this.#with({}, config.apiVersion),
      config,
      fields: membersOf(config, kind.schema),
      managers: this.#managers,
      name: { ...this.#name(manager, 'Apply'), apiVersion: config.apiVersion },
      force,
    });
    this.#object = applied.object;
    this.#managers = applied.managers;
    return this;
  }

  #with(fields: object, apiVersion = this.#name('', 'Apply').apiVersion): UnknownObject {
    return { apiVersion, kind: 'Thing', metadata: {}, ...fields };
  }

  #name(manager: string, operation: ManagerName['operation']): ManagerName {
    const { group, version } = this.#typed.resource.kind;
    return { manager, operation, apiVersion: `${group}/${version}`, subresource: '' };
  }
}
