import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isObject } from '@vireo/api/json.ts';
import { parse } from 'yaml';
import { Failure } from '../failure.ts';

/** An identity provider that the dashboard offers, as `dashboard.yaml` describes it. */
export interface LoginProvider {
  readonly issuer: string;
  /** What the button says. */
  readonly name: string;
  /** Missing: the first audience of the AuthenticationConfiguration. */
  readonly clientID?: string;
  /** An absolute path. Missing: the client is public, and has no secret. */
  readonly clientSecretFile?: string;
  readonly scopes: readonly string[];
}

/** Where `dashboard.yaml` is. */
export interface DashboardFile {
  readonly path: string;
  /** Whether the server must not start without the file. */
  readonly isRequired: boolean;
}

const DEFAULT_SCOPES = ['openid', 'profile', 'email'];
const FIELDS = ['issuer', 'name', 'clientID', 'clientSecretFile', 'scopes'];

export async function readDashboardConfig({ path, isRequired }: DashboardFile): Promise<readonly LoginProvider[]> {
  let yaml: string;
  try {
    yaml = await readFile(path, 'utf8');
  } catch (error) {
    if (!isRequired && (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  }
  return parseDashboardConfig(yaml, path);
}

/** Throws a Failure that names every field that is wrong. */
export function parseDashboardConfig(yaml: string, path: string): readonly LoginProvider[] {
  const document = parsed(yaml, path);
  const { login = [], ...others } = document;
  const entries = Array.isArray(login) ? login : [];
  const problems = [
    ...Object.keys(others).map((name) => `${name}: unknown field`),
    ...(Array.isArray(login) ? [] : ['login: must be a list']),
    ...entries.flatMap((entry: unknown, index) => problemsOf(entry, `login[${index}]`)),
  ];
  const issuers = entries.map((entry: unknown) => (isObject(entry) ? entry.issuer : undefined));
  const repeated = issuers.findIndex((issuer, index) => issuers.indexOf(issuer) < index);
  if (repeated >= 0) problems.push(`login[${repeated}].issuer: is listed twice`);
  if (problems.length > 0) throw new Failure(`${path} is invalid:\n${problems.map((each) => `  ${each}`).join('\n')}`);
  return entries.map((entry: Partial<LoginProvider> & { readonly issuer: string }) => ({
    issuer: entry.issuer,
    name: entry.name ?? new URL(entry.issuer).host,
    ...(entry.clientID !== undefined && { clientID: entry.clientID }),
    ...(entry.clientSecretFile !== undefined && { clientSecretFile: resolve(dirname(path), entry.clientSecretFile) }),
    scopes: entry.scopes ?? DEFAULT_SCOPES,
  }));
}

function parsed(yaml: string, path: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = parse(yaml) ?? {};
  } catch (cause) {
    throw new Failure(`${path} is not valid YAML: ${(cause as Error).message}`);
  }
  if (!isObject(document)) throw new Failure(`${path} must have a list "login"`);
  return document;
}

function problemsOf(entry: unknown, at: string): string[] {
  if (!isObject(entry)) return [`${at}: must be an object with an issuer`];
  const texts = ['name', 'clientID', 'clientSecretFile'].filter((name) => entry[name] !== undefined);
  return [
    ...Object.keys(entry)
      .filter((name) => !FIELDS.includes(name))
      .map((name) => `${at}.${name}: unknown field`),
    ...(isHttps(entry.issuer) ? [] : [`${at}.issuer: must be an https URL, as in the AuthenticationConfiguration`]),
    ...texts.filter((name) => !isText(entry[name])).map((name) => `${at}.${name}: must be a text`),
    ...(entry.scopes === undefined || areScopes(entry.scopes)
      ? []
      : [`${at}.scopes: must be a list of names, with openid among them`]),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isHttps = (value: unknown): boolean => isText(value) && value.startsWith('https://') && URL.canParse(value);
const areScopes = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => isText(each) && !/\s/.test(each)) && value.includes('openid');
