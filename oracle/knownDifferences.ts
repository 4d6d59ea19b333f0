import type { Step } from './case.ts';
import type { Difference } from './compare.ts';

/** A difference that is meant to be, and why. */
export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  readonly matches: (difference: Difference, step: Step) => boolean;
  /** Whether both servers have different objects from then on, so that what follows says nothing. */
  readonly diverges?: boolean;
}

const isCrd = ({ path }: Step): boolean => path.includes('/customresourcedefinitions');
const isScale = ({ path }: Step): boolean => path.endsWith('/scale');
const texts = ({ real, ours }: Difference): [string, string] => [String(real), String(ours)];

/** Whether both texts are of this kind, so that only the rest of them differs. */
const both = (difference: Difference, pattern: RegExp): boolean =>
  texts(difference).every((text) => pattern.test(text));

/** Whether both list as many causes, all of this kind, so that only their places differ. */
const everyLine = ({ real, ours }: Difference, pattern: RegExp): boolean =>
  Array.isArray(real) &&
  Array.isArray(ours) &&
  real.length === ours.length &&
  [...real, ...ours].every((line) => pattern.test(String(line)));

/** Whether both complain of the same expressions, and find the same syntax error first in each. */
function haveSameSyntaxError({ real, ours }: Difference): boolean {
  if (!Array.isArray(real) || !Array.isArray(ours) || real.length !== ours.length) return false;
  const first = (line: unknown): string | undefined =>
    /^.*?compilation failed: ERROR: <input>:\d+:\d+: Syntax error: .*/s.exec(String(line))?.[0]?.split('\n')[0];
  return real.every((line, place) => first(line) !== undefined && first(line) === first(ours[place]));
}

/** What is not an error of ours; everything else is. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    name: 'which fields that the schema lacks an apply names',
    reason: 'the original walks maps in random order and stops at the first such field of each; Vireo names all',
    matches: (difference) => both(difference, /typed patch object.*field not declared in schema/s),
  },
  {
    name: 'what a YAML parser says',
    reason: 'another parser, which says where and what in its own words',
    matches: (difference) => both(difference, /\byaml: /),
  },
  {
    name: 'what a JSON parser says',
    reason: 'another parser, which says where and what in its own words',
    matches: (difference) => both(difference, /json parse error|json: cannot unmarshal/),
  },
  {
    name: 'applies of scale',
    reason:
      'the original cannot convert a Scale to the version of a custom resource and fails with 500; Vireo applies it',
    matches: (difference, step) =>
      isScale(step) && /request to convert CR to an invalid group\/version/.test(String(difference.real)),
  },
  {
    name: 'an apply where somebody owns fields in a version that the definition no longer has',
    reason: 'the original fails with 500 from then on; Vireo drops what was owned in that version',
    matches: ({ real }) => /^500 request to convert CR to an invalid group\/version/.test(String(real)),
  },
  {
    name: 'a Scale that cannot be decoded',
    reason:
      'the original looks it up in a table of types that lacks it and names its own source; Vireo names the field',
    matches: (difference, step) =>
      isScale(step) && /no kind is registered for the type v1\.Scale/.test(String(difference.real)),
  },
  {
    name: 'a Scale without replicas',
    reason: 'the original fails with 500; Vireo answers as it does for built-in kinds, with 0',
    matches: (difference, step) => isScale(step) && /500 .*spec replicas field/.test(String(difference.real)),
  },
  {
    name: 'how a Scale stands in the refusal of a patch',
    reason:
      'the original writes its fields in the order of Go, and -2147483648 for replicas that are not there; Vireo sorts them',
    matches: (difference, step) => isScale(step) && both(difference, /^patch \(.*autoscaling\/v1/),
  },
  {
    name: 'a patch of scale that changes nothing',
    reason:
      'the original confuses the version of whoever owns the replicas with that of the Scale, and writes a second entry for them; Vireo writes nothing',
    matches: ({ at }, step) => isScale(step) && step.method === 'PATCH' && at === 'body/metadata/resourceVersion',
    diverges: true,
  },
  {
    name: 'a resourceVersion that is no number',
    reason: 'the original fails with 500 and the error of strconv; Vireo refuses it as one that is not current',
    matches: ({ real }) => /500 strconv\.ParseUint/.test(String(real)),
  },
  {
    name: 'an apply that creates an object with a deletionTimestamp',
    reason: 'the original stores it, so that the object is being deleted from its first moment; Vireo drops it',
    matches: ({ at, ours }, step) =>
      step.contentType === 'application/apply-patch+yaml' &&
      at === 'body/metadata/deletionTimestamp' &&
      ours === undefined,
    diverges: true,
  },
  {
    name: 'a body of another kind',
    reason: 'the original names the place in its source where it keeps its types; Vireo names both kinds',
    matches: ({ at, real }, step) =>
      isCrd(step) && at === 'body/message' && /no kind "\w+" is registered for version/.test(String(real)),
  },
  {
    name: 'which of the rules that cost the most are named',
    reason: 'of rules that cost the same, the original names four at random; Vireo names the first ones',
    matches: (difference) => everyLine(difference, /: contributed to estimated rule cost total exceeding cost limit/),
  },
  {
    name: 'at which rule the budget of an object ends',
    reason: 'the original runs the rules of fields in random order; Vireo in the order of the schema',
    matches: (difference) => everyLine(difference, /no further validation rules will be run/),
  },
  {
    name: 'managers of an object that does not fit its schema',
    reason:
      'where a write leaves one (a list passes for a text with a format, and a write of the status is not asked about the rest), the original logs that this should not happen and drops all managers; Vireo keeps them',
    matches: ({ at, real }, step) =>
      at === 'body/metadata/managedFields' && real === undefined && !step.contentType?.includes('apply'),
    diverges: true,
  },
  {
    name: 'a patch that takes the version away',
    reason: 'the original fails with 500; Vireo names the field',
    matches: ({ real }) => /^500 .*Object 'apiVersion' is missing/.test(String(real)),
  },
  {
    name: 'what is unknown to a version that a patch invents',
    reason: 'the original warns of all fields, and refuses the patch all the same; Vireo only refuses it',
    matches: ({ at, ours }, { body }) =>
      at.startsWith('warnings/') && ours === undefined && /"apiVersion":/.test(JSON.stringify(body ?? null)),
  },
  {
    name: 'what a parser of expressions says after its first error',
    reason: 'both name the first error; what is left out to go on differs, and with it what is said of the rest',
    matches: haveSameSyntaxError,
  },
  {
    name: 'types of fields as names',
    reason: 'the original takes `duration` for a name where a field has that type; Vireo knows only the names of CEL',
    matches: ({ real, ours }) =>
      /found 'type\((?:duration|timestamp)\)'/.test(String(real)) &&
      /undeclared reference to '\.?(?:duration|timestamp)'/.test(String(ours)),
  },
  {
    name: 'a uid that is not that of the object',
    reason: 'the original says so in the words of its storage, with the key; Vireo without',
    matches: (difference) =>
      both(difference, /Precondition failed: UID in precondition/) && /StorageError/.test(String(difference.real)),
  },
  {
    name: 'who writes the status of a CRD',
    reason: 'the controller of Vireo has a name of its own, like its other controllers',
    matches: ({ at }, step) => isCrd(step) && at.startsWith('body/metadata/managedFields'),
  },
];
