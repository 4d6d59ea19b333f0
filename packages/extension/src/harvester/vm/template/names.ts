import { createHash } from 'node:crypto';
import { generateName } from '@vireo/api/names.ts';

/** Names of claims and labels have no more characters than that. */
const LONGEST = 63;

/** A name for a new version of a template: six characters that nobody can guess come after the template's. */
export const versionName = (template: string): string => `${generateName(`${template}-`)}${generateName('').slice(-1)}`;

/** What belongs to a version is called after it. Where that gets too long, its end is a digest of the whole. */
export function nameOfPart(version: string, ...parts: readonly string[]): string {
  const whole = ['templateversion', version, ...parts].join('-');
  if (whole.length <= LONGEST) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, LONGEST - digest.length - 1).replace(/[-.]+$/, '')}-${digest}`;
}
