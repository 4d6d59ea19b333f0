/** A LabelSelector as objects carry it (`matchLabels`, `matchExpressions`); all its terms must hold. */
export interface LabelSelectorTerms {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether `labels` satisfy the selector. An empty selector takes everything, a missing one nothing. */
export function matchesLabelSelector(selector: LabelSelectorTerms | undefined, labels: Labels): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    if (labelOf(labels, key) !== value) return false;
  return (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labels));
}

/** One requirement, with the operators of label selectors and those of node selectors (`Gt`, `Lt`). */
export function matchesRequirement({ key, operator, values = [] }: SelectorRequirement, labels: Labels): boolean {
  const actual = labelOf(labels, key);
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
      return compareIntegers(actual, values[0], (a, b) => a > b);
    case 'Lt':
      return compareIntegers(actual, values[0], (a, b) => a < b);
    default:
      return false;
  }
}

const INTEGER = /^[+-]?\d+$/;

function compareIntegers(
  actual: string | undefined,
  bound: string | undefined,
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  if (actual === undefined || bound === undefined || !INTEGER.test(actual) || !INTEGER.test(bound)) return false;
  return holds(BigInt(actual.replace('+', '')), BigInt(bound.replace('+', '')));
}

/** Labels come from users: `constructor` and the like must not be found on the prototype. */
const labelOf = (labels: Labels, key: string): string | undefined =>
  labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
