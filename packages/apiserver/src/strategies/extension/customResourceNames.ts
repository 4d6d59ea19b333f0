import { type CustomResourceDefinitionNames, type FieldError, field } from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { each, invalidFor, requiredText } from '../fields.ts';

const APPROVED = 'api-approved.kubernetes.io';

/** A group is a domain; those of Kubernetes itself need a note of who approved them. */
export function validateGroup(
  group: string | undefined,
  annotations: Readonly<Record<string, string>> | undefined,
): FieldError[] {
  if (!group) return [field.required('spec.group')];
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group);
  return [
    ...invalidFor('spec.group', group, dnsSubdomain(group)),
    ...(group.includes('.') ? [] : [field.invalid('spec.group', group, 'should be a domain with at least one dot')]),
    ...(isProtected && !annotations?.[APPROVED]
      ? [
          field.required(
            `metadata.annotations[${APPROVED}]`,
            `protected groups must have approval annotation "${APPROVED}", ` +
              'see https://github.com/kubernetes/enhancements/pull/1111',
          ),
        ]
      : []),
  ];
}

export function validateNames(names: CustomResourceDefinitionNames | undefined, path: string): FieldError[] {
  if (!names) return [field.required(`${path}.plural`), field.required(`${path}.kind`)];
  const { categories, kind, listKind, plural, shortNames, singular } = names;
  return [
    ...requiredText(`${path}.plural`, plural, dns1035Label),
    ...(singular ? invalidFor(`${path}.singular`, singular, dns1035Label(singular)) : []),
    ...requiredText(`${path}.kind`, kind, mixedCase),
    ...(listKind ? invalidFor(`${path}.listKind`, listKind, mixedCase(listKind)) : []),
    ...(kind && kind === listKind
      ? [field.invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...each(shortNames, `${path}.shortNames`, (name, at) => invalidFor(at, name, dns1035Label(name))),
    ...each(categories, `${path}.categories`, (name, at) => invalidFor(at, name, dns1035Label(name))),
  ];
}

const mixedCase = (name: string): string[] =>
  dns1035Label(name.toLowerCase()).map((problem) => `may have mixed case, but should otherwise match: ${problem}`);
