import { dnsSubdomain } from '@vireo/api/names.ts';
import { parseReference } from '@vireo/oci/reference.ts';
import { catalogue, fromCatalogue, fromReference, GUEST, type KnownImage } from '../../../catalogue.ts';
import { Failure } from '../../../failure.ts';
import { inThisName } from '../../../programName.ts';
import { similarNames } from '../findVm.ts';

/** What the words of a command line ask for. */
export interface LaunchWords {
  readonly image?: string | undefined;
  readonly name?: string | undefined;
  /** `--name`. */
  readonly nameOption?: string | undefined;
}

/** What `launch` is to make. */
export interface Launch {
  readonly image: KnownImage;
  /** Undefined: a random one. */
  readonly name?: string;
}

/**
 * `launch`, `launch debian`, `launch debian web`, `launch quay.io/containerdisks/fedora:43 --name web`. A word that
 * names no image is never taken for the name of the VM. `isHere`: the first word is the name of an image of this host.
 */
export function parseLaunch(words: LaunchWords, isHere: boolean): Launch {
  const { name: operand, nameOption } = words;
  if (operand !== undefined && nameOption !== undefined && operand !== nameOption)
    throw new Failure(`the VM has two names: ${operand} and, with --name, ${nameOption}`, 'Use only one of them.');
  const name = nameOption ?? operand;
  const image = words.image === undefined ? fromReference(GUEST) : imageNamed(words.image, name, isHere);
  const [problem] = name === undefined ? [] : dnsSubdomain(name);
  if (problem) throw new Failure(`${JSON.stringify(name)} is not a valid name for a VM: ${problem}`);
  return { image, ...(name !== undefined && { name }) };
}

function imageNamed(word: string, name: string | undefined, isHere: boolean): KnownImage {
  const known = fromCatalogue(word);
  if (known) return known;
  if (isHere || /^oci-(layout|archive):/.test(word)) return fromReference(word);
  if (!/[/:@]/.test(word)) throw noImage(word, name);
  try {
    parseReference(word);
  } catch (error) {
    throw new Failure(
      (error as Error).message,
      'An image reference is REGISTRY/REPOSITORY:TAG. To list images: vireo image list',
    );
  }
  return fromReference(word);
}

function noImage(word: string, name: string | undefined): Failure {
  const names = catalogue.map((image) => image.name);
  const [close] = similarNames(word.toLowerCase(), names);
  const meant =
    name !== undefined && fromCatalogue(name)
      ? `vireo launch ${name} ${word}`
      : close
        ? `vireo launch ${close}${name === undefined ? '' : ` ${name}`}`
        : `vireo launch --name ${name ?? word}`;
  return new Failure(
    `${JSON.stringify(word)} is not an image in the catalog (${names.join(', ')}), a local image, or a ` +
      'reference such as quay.io/containerdisks/fedora:43',
    inThisName(`Did you mean: ${meant}? To list images: vireo image list`),
  );
}
