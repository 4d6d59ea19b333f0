import { readFileSync } from 'node:fs';
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, stringify, visit, YAMLMap } from 'yaml';
import { Failure, fileProblem } from '../../../failure.ts';

const HEADER = '#cloud-config';

export interface GuestUser {
  readonly user: string;
  readonly sshKeys: readonly string[];
  /** None where only keys are to open the door. */
  readonly password?: string | undefined;
}

/** The user data of a guest; what users give is data in it, whatever characters it has. */
export const userDataFor = (guest: GuestUser): string => `${HEADER}\n${print(settings(guest))}`;

/**
 * The user data that a file has, with what it leaves out of user, keys and password. A file that lists
 * `users` says itself who logs in. Scripts and other forms stay as they are.
 */
export function userDataWith(text: string, guest: GuestUser, file: string): string {
  if (!/^#cloud-config(?!-)/.test(text)) {
    if (
      /^(?:#!|#include|#cloud-boothook|#cloud-config-|#part-handler|## template|Content-Type:|MIME-Version:)/i.test(
        text,
      )
    )
      return text;
    throw new Failure(
      `--cloud-init ${file} is not cloud-init user data: it starts with neither ${HEADER} nor #!`,
      `Make ${HEADER} its first line.`,
    );
  }
  const { document, config } = parseConfig(text.replace(/^.*\n?/, ''), file);
  const has = (key: string): boolean => config.has(key);
  const { user, password, chpasswd, ssh_pwauth, ssh_authorized_keys } = settings(guest);
  const login = has('users') ? {} : { user };
  const opening = has('users') || has('password') ? {} : { password, chpasswd, ssh_pwauth };
  const wanted = Object.entries({ ...login, ...opening, ssh_authorized_keys });
  const missing = Object.fromEntries(wanted.filter(([key, value]) => value !== undefined && !has(key)));
  if (Object.keys(missing).length > 0) config.items.push(...parseConfig(print(missing), file).config.items);
  const keys = config.get('ssh_authorized_keys');
  if (isSeq(keys)) {
    const known = new Set(keys.items.map((item) => (isScalar(item) ? item.value : item)));
    for (const key of guest.sshKeys) if (!known.has(key)) keys.add(document.createNode(key));
  }
  return `${HEADER}\n${document.toString({ lineWidth: 0 })}`;
}

export function readUserData(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(`--cloud-init ${file} cannot be read: ${fileProblem(error)}`);
  }
}

/** No host name: the metadata has that of the VM, so that a clone gets its own. */
function settings({ user, sshKeys, password }: GuestUser): Record<string, unknown> {
  return {
    user,
    ...(sshKeys.length > 0 && { ssh_authorized_keys: sshKeys }),
    ...(password && { password, chpasswd: { expire: false }, ssh_pwauth: true }),
  };
}

/**
 * cloud-init reads YAML 1.1, where `0644` is octal and `yes` is true. All scalars but null are read as text here, so that
 * they are printed as they stand in the file.
 */
function parseConfig(text: string, file: string): { document: Document.Parsed; config: YAMLMap } {
  const document = parseDocument(text, { schema: 'failsafe', customTags: ['null'] });
  const refuse = (message: string): never => {
    throw new Failure(`--cloud-init ${file} is not valid YAML: ${message.split('\n')[0]}`);
  };
  if (document.errors[0]) refuse(document.errors[0].message);
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    document.contents = new YAMLMap() as never;
  const { contents: config } = document as Document;
  if (!isMap(config))
    throw new Failure(`--cloud-init ${file} is not a mapping of cloud-init keys`, 'For example: packages: [nginx]');
  try {
    // It refuses what grows without end.
    document.toJS();
    writeOutAliases(document);
  } catch (error) {
    refuse((error as Error).message);
  }
  return { document, config };
}

/** One that leads to itself would never end. */
const MOST_ALIASES = 200;

/** Small readers of YAML know no anchors. */
function writeOutAliases(document: Document.Parsed): void {
  let count = 0;
  visit(document, {
    Alias: (_, alias) => {
      count += 1;
      if (count > MOST_ALIASES) throw new Error(`more than ${MOST_ALIASES} aliases`);
      return alias.resolve(document)?.clone() as Node | undefined;
    },
  });
  visit(document, {
    Value: (_, node) => {
      delete node.anchor;
    },
  });
}

/** Strings that YAML 1.1 takes for something else are quoted. */
const print = (value: unknown): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' });
