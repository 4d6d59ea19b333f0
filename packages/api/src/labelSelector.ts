import { badRequest, type FieldError, field } from './errors.ts';
import { own } from './json.ts';
import { parseRequirements } from './labelSelectorParser.ts';
import { labelValueErrors, qualifiedNameErrors } from './names.ts';

/** One condition on labels. `=` and `!=` have one value; `exists` and `!` none; `>` and `<` one whole number. */
export interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Which objects are meant, by their labels. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  matches(labels: Labels | undefined): boolean;
  /** The string form, which `parseLabelSelector` reads back. */
  toString(): string;
}

/** The object form, as Deployments and others carry it. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** A selector that all of the requirements must agree to; none of them means everything. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  return {
    requirements,
    matches: (labels = {}) => requirements.every((requirement) => isMet(requirement, labels)),
    toString: () => requirements.map(requirementText).join(','),
  };
}

export const EVERYTHING: Selector = selectorOf([]);
export const NOTHING: Selector = { requirements: [], matches: () => false, toString: () => '' };

/** Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k,n>1`. Throws 400 BadRequest in Kubernetes' words. */
export function parseLabelSelector(text: string): Selector {
  const requirements = parseRequirements(text);
  for (const requirement of requirements) {
    const [error] = requirementErrors(requirement);
    if (error) throw badRequest(`unable to parse requirement: ${error.field}: ${error.text}`);
  }
  return selectorOf(requirements);
}

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' } as const;

/** The object form as a selector: missing selects nothing, empty selects everything. Validate it first. */
export function selectorFromObject(selector: LabelSelectorObject | undefined | null): Selector {
  if (!selector) return NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements: Requirement[] = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: '=', values: [value] }) as const),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (!Object.hasOwn(OPERATORS, operator)) throw badRequest(`"${operator}" is not a valid label selector operator`);
      return { key, operator: OPERATORS[operator as keyof typeof OPERATORS], values };
    }),
  ];
  return selectorOf(requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
}

/** Objects in the store and in informers never change, so neither does the selector inside them. */
const compiled = new WeakMap<object, Selector>();

/** Whether `labels` satisfy the selector. An empty selector takes everything, a missing one nothing. */
export function matchesLabelSelector(
  selector: LabelSelectorObject | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (!selector) return false;
  let ready = compiled.get(selector);
  if (!ready) {
    ready = selectorFromObject(selector);
    compiled.set(selector, ready);
  }
  return ready.matches(labels);
}

/** What is wrong with the object form. */
export function validateLabelSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelectorObject,
  path: string,
): FieldError[] {
  const labels = Object.entries(matchLabels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((why) => field.invalid(`${path}.matchLabels`, key, why)),
    ...labelValueErrors(value).map((why) => field.invalid(`${path}.matchLabels`, value, why)),
  ]);
  const expressions = matchExpressions.flatMap(({ key, operator, values = [] }, i) => {
    const at = `${path}.matchExpressions[${i}]`;
    const errors = qualifiedNameErrors(key ?? '').map((why) => field.invalid(`${at}.key`, key, why));
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(field.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          field.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
    } else {
      errors.push(field.invalid(`${at}.operator`, operator, 'not a valid selector operator'));
    }
    const badValues = values.flatMap((value, j) =>
      labelValueErrors(value).map((why) => field.invalid(`${at}.values[${j}]`, value, why)),
    );
    return [...errors, ...badValues];
  });
  return [...labels, ...expressions];
}

function isMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = own(labels, key);
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '>':
      return value !== undefined && isInteger(value) && BigInt(value) > BigInt(values[0]!);
    case '<':
      return value !== undefined && isInteger(value) && BigInt(value) < BigInt(values[0]!);
  }
}

const isInteger = (text: string): boolean => /^-?\d{1,19}$/.test(text);

function requirementText({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${values.toSorted().join(',')})`;
  return `${key}${operator}${values[0]}`;
}

function requirementErrors({ key, operator, values }: Requirement): FieldError[] {
  const errors = qualifiedNameErrors(key).map((why) => field.invalid('key', key, why));
  if ((operator === '>' || operator === '<') && !isInteger(values[0] ?? '')) {
    errors.push(field.invalid('values[0]', values[0] ?? '', "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  values.forEach((value, i) => {
    errors.push(...labelValueErrors(value).map((why) => field.invalid(`values[${i}][${key}]`, value, why)));
  });
  return errors;
}
