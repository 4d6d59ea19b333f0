/** Kubernetes' library of semantic versions. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { partsWork } from '../meter.ts';
import { BOOL, INT, STRING, structType } from '../types.ts';
import { compareText } from '../values/equality.ts';
import { CelError, OpaqueValue } from '../values/values.ts';

const SEMVER = structType('kubernetes.Semver');

class SemverValue extends OpaqueValue {
  readonly type = SEMVER;
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[];
  readonly preRelease: readonly string[];

  constructor(numbers: readonly bigint[], preRelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

const order = <T extends bigint | number>(a: T, b: T): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** What comes after a plus sign does not count, and a version comes after its pre-releases. */
function compare(a: SemverValue, b: SemverValue): -1 | 0 | 1 {
  for (const [i, number] of a.numbers.entries()) {
    const numbers = order(number, b.numbers[i] as bigint);
    if (numbers !== 0) return numbers;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return order(Math.min(b.preRelease.length, 1), Math.min(a.preRelease.length, 1));
  }
  for (const [i, part] of a.preRelease.entries()) {
    const other = b.preRelease[i];
    if (other === undefined) return 1;
    const parts = comparePart(part, other);
    if (parts !== 0) return parts;
  }
  return order(a.preRelease.length, b.preRelease.length);
}

const isNumber = (part: string): boolean => /^\d+$/.test(part);

function comparePart(a: string, b: string): -1 | 0 | 1 {
  if (isNumber(a) && isNumber(b)) return order(BigInt(a), BigInt(b));
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return compareText(a, b);
}

const MAX_LENGTH = 1000;
const PART = /^[0-9A-Za-z-]+$/;

function parse(text: string): SemverValue | CelError {
  if (text === '') return new CelError('Version string empty');
  const parts = text.split('.');
  const [major = '', minor, ...rest] = parts;
  if (minor === undefined || rest.length === 0 || text.length > MAX_LENGTH)
    return new CelError('No Major.Minor.Patch elements found');
  const numbers: bigint[] = [];
  const match = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) as unknown as string[];
  const [, patch = '', preRelease, build] = match as [string, string, string?, string?];
  for (const [name, number] of [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ] as const) {
    if (!/^\d+$/.test(number))
      return new CelError(`Invalid character(s) found in ${name.toLowerCase()} number "${number}"`);
    if (number.length > 1 && number.startsWith('0'))
      return new CelError(`${name} number must not contain leading zeroes "${number}"`);
    if (BigInt(number) >= 2n ** 64n) return new CelError(`strconv.ParseUint: parsing "${number}": value out of range`);
    numbers.push(BigInt(number));
  }
  const pre = preRelease?.split('.') ?? [];
  for (const part of pre) {
    if (part === '') return new CelError('Prerelease is empty');
    if (isNumber(part) && part.length > 1 && part.startsWith('0'))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes "${part}"`);
    if (!PART.test(part)) return new CelError(`Invalid character(s) found in prerelease "${part}"`);
  }
  for (const part of build?.split('.') ?? []) {
    if (part === '') return new CelError('Build meta data is empty');
    if (!PART.test(part)) return new CelError(`Invalid character(s) found in build meta data "${part}"`);
  }
  return new SemverValue(numbers, pre);
}

/** Also takes `v1`, `1.2` and `01.02.03`. */
function parseNormalized(text: string): SemverValue | CelError {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])].map(
    (part) => (part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part),
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    return new CelError('short version cannot contain PreRelease/Build meta data');
  return parse([...parts, '0', '0'].slice(0, 3).join('.'));
}

function toSemver(text: string, normalize = false): SemverValue | CelError {
  partsWork();
  return normalize ? parseNormalized(text) : parse(text);
}

const isSemver = (text: string, normalize = false): boolean => !(toSemver(text, normalize) instanceof CelError);

const BOTH = [SEMVER, SEMVER];

/** `semver('1.2.3')` and how versions compare. */
export const versions: Library = {
  functions: [
    declare(
      'semver',
      overload('string_to_semver', [STRING], SEMVER, toSemver),
      overload('string_bool_to_semver', [STRING, BOOL], SEMVER, toSemver),
    ),
    declare(
      'isSemver',
      overload('is_semver_string', [STRING], BOOL, isSemver),
      overload('is_semver_string_bool', [STRING, BOOL], BOOL, isSemver),
    ),
    ...(['major', 'minor', 'patch'] as const).map((name, i) =>
      declare(
        name,
        memberOverload(`semver_${name}`, [SEMVER], INT, ({ numbers }: SemverValue) =>
          BigInt.asIntN(64, numbers[i] as bigint),
        ),
      ),
    ),
    declare(
      'isGreaterThan',
      memberOverload('semver_is_greater_than', BOTH, BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) > 0),
    ),
    declare(
      'isLessThan',
      memberOverload('semver_is_less_than', BOTH, BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) < 0),
    ),
    declare(
      'compareTo',
      memberOverload('semver_compare_to', BOTH, INT, (a: SemverValue, b: SemverValue) => BigInt(compare(a, b))),
    ),
  ],
};
