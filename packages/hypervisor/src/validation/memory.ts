import { type FieldError, fieldError } from '@vireo/api';
import { canonicalQuantity, parseQuantity, toBytes } from '@vireo/api/quantity.ts';
import { bytesOf, readQuantity } from '../domainSpec.ts';
import { amount, type Rule, type Subject, when } from './rule.ts';

const LEAST = parseQuantity('1M').nano;
const MIN_GUEST = parseQuantity('1Mi').nano;

export const memory: Rule = (subject) => [
  ...requestAndLimit(subject),
  ...guestLeast(subject),
  ...hugepages(subject),
  ...guestLimit(subject),
];

function requestAndLimit(subject: Subject): FieldError[] {
  const request = amount(subject, 'requests', 'memory');
  const limit = amount(subject, 'limits', 'memory');
  const [asked, most] = [request.value?.nano ?? 0n, limit.value?.nano ?? 0n];
  return [
    ...when(asked < 0n, request.field, `${request.field} '${request.text}': must be greater than or equal to 0.`),
    ...when(
      asked > 0n && asked < LEAST,
      request.field,
      `${request.field} '${request.text}': must be greater than or equal to 1M.`,
    ),
    ...when(most < 0n, limit.field, `${limit.field} '${limit.text}': must be greater than or equal to 0.`),
    ...when(
      most > 0n && asked > most,
      request.field,
      `${request.field} '${request.text}' is greater than ${limit.field} '${limit.text}'`,
    ),
  ];
}

/** Less would be refused when the VMI starts, over and over. */
function guestLeast({ spec, path }: Subject): FieldError[] {
  const guest = spec.domain.memory?.guest;
  const given = readQuantity(guest);
  const field = `${path}.domain.memory.guest`;
  return when(
    given !== undefined && given.nano < MIN_GUEST,
    field,
    `${field} '${canonicalQuantity(guest ?? 0)}': must be greater than or equal to 1Mi.`,
  );
}

function hugepages(subject: Subject): FieldError[] {
  const { spec, path } = subject;
  const pages = spec.domain.memory?.hugepages;
  if (!pages) return [];
  const pageField = `${path}.domain.memory.hugepages.pageSize`;
  const size = readQuantity(pages.pageSize);
  if (!size || size.nano <= 0n) {
    const why = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    return [fieldError(pageField, `${pageField} '${pages.pageSize ?? ''}': ${why}`)];
  }
  const request = amount(subject, 'requests', 'memory');
  const field = request.value ? request.field : `${path}.domain.memory.guest`;
  const memory = request.value ?? readQuantity(spec.domain.memory?.guest);
  if (!memory) return [];
  const text = request.value ? request.text : canonicalQuantity(spec.domain.memory?.guest ?? 0);
  const [bytes, page] = [toBytes(memory), toBytes(size)];
  if (bytes < page) {
    return [
      fieldError(
        field,
        `${field} '${text}' must be equal to or larger than page size ${pageField} '${pages.pageSize}'`,
      ),
    ];
  }
  return when(
    bytes % page,
    field,
    `${field} '${text}' is not a multiple of the page size ${pageField} '${pages.pageSize}'`,
  );
}

/** VMIs that grow while they run may grow past their limit; it is raised with them. */
function guestLimit(subject: Subject): FieldError[] {
  const { spec, path, config } = subject;
  const guest = spec.domain.memory?.guest;
  const limit = amount(subject, 'limits', 'memory');
  const bytes = bytesOf(guest);
  if (config.rolloutStrategy === 'LiveUpdate' || bytes === undefined || !limit.value || guest === undefined) return [];
  const most = toBytes(limit.value);
  const field = `${path}.domain.memory.guest`;
  const text = `${field} '${canonicalQuantity(guest)}' must be equal to or less than the memory limit ${limit.field} '${limit.text}'`;
  return when(most !== 0n && most < bytes, field, text);
}

/** A VMI without any word on memory cannot run. */
export const memoryRequired: Rule = (subject) => {
  const { spec, path } = subject;
  const { memory: given } = spec.domain;
  if (amount(subject, 'requests', 'memory').value?.nano || given?.guest !== undefined || given?.hugepages) return [];
  const fields = ['memory.guest', 'memory.hugepages.size', 'resources.requests.memory'].map(
    (name) => `'${path}.domain.${name}'`,
  );
  const text = `no memory requested, at least one of ${fields[0]}, ${fields[1]} or ${fields[2]} must be set`;
  return [fieldError(`${path}.domain.memory.guest`, text, 'FieldValueRequired')];
};
