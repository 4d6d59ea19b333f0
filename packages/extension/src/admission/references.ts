import { type FieldError, fieldError, type Kind } from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';

interface Reference {
  readonly apiGroup?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}

/** What is wrong with a reference to an object of the same namespace that has to be of one of these kinds. */
export function referenceErrors(path: string, given: Reference | undefined, kinds: readonly Kind[]): FieldError[] {
  const { apiGroup, kind, name } = given ?? {};
  if (!apiGroup) return [fieldError(`${path}.apiGroup`, `missing ${path}.apiGroup`, 'FieldValueNotFound')];
  const ofGroup = kinds.filter(({ group }) => group === apiGroup);
  if (ofGroup.length === 0) return [fieldError(`${path}.apiGroup`, `invalid apiGroup ${JSON.stringify(apiGroup)}`)];
  if (!ofGroup.some((each) => each.kind === kind))
    return [fieldError(`${path}.kind`, `invalid kind ${JSON.stringify(kind ?? '')}`)];
  return nameErrors(`${path}.name`, name);
}

/** What is wrong with the name of an object. */
export function nameErrors(path: string, name: string | undefined): FieldError[] {
  if (!name) return [fieldError(path, `missing ${path}`, 'FieldValueRequired')];
  return dnsSubdomain(name).map((why) => fieldError(path, `${path} ${JSON.stringify(name)}: ${why}`));
}

/** What is wrong with a value of which there are only a few. */
export const choiceErrors = (path: string, value: string | undefined, choices: readonly string[]): FieldError[] =>
  value === undefined || choices.includes(value)
    ? []
    : [
        fieldError(
          path,
          `${path} is ${JSON.stringify(value)}: it must be one of ${choices.join(', ')}`,
          'FieldValueNotSupported',
        ),
      ];
