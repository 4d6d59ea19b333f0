import { Secret } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { parse } from 'yaml';
import type { Connection } from '../connection.ts';
import type { VmOrVmi } from '../vmSummary.ts';
import { type LocalKey, localKeys } from './localKeys.ts';

type VmiSpec = VirtualMachineInstance['spec'];

/** Who can log in to a guest, as far as the VM says. */
export interface Logins {
  /** The user that the keys and the password are of. */
  readonly user?: string;
  /** Public keys that open the door. */
  readonly keys: readonly string[];
  readonly hasPassword: boolean;
}

/** How `shell`, `exec` and `copy` log in. */
export interface Login {
  readonly user?: string;
  /** The key of this host that the guest knows. */
  readonly key?: LocalKey;
  readonly hasPassword: boolean;
}

/** As whom and with which key of this host to log in to a guest. */
export async function findLogin(connection: Connection, pair: VmOrVmi): Promise<Login> {
  const { user, keys, hasPassword } = await loginsOf(connection, pair);
  const key = keys.length > 0 ? matchKey(keys, await localKeys()) : undefined;
  return { ...(user && { user }), ...(key && { key }), hasPassword };
}

/** A key file is preferred to the agent's, for it works from everywhere. */
export function matchKey(keys: readonly string[], local: readonly LocalKey[]): LocalKey | undefined {
  const known = new Set(keys.map(withoutComment));
  const matching = local.filter(({ publicKey }) => known.has(withoutComment(publicKey)));
  return matching.find(({ file }) => file) ?? matching[0];
}

const withoutComment = (key: string): string => key.trim().split(/\s+/).slice(0, 2).join(' ');

/** What the cloud-init disk and the access credentials of a VM say. */
export async function loginsOf(connection: Connection, { vm, vmi }: VmOrVmi): Promise<Logins> {
  const spec = vmi?.spec ?? vm?.spec.template?.spec;
  if (!spec) return { keys: [], hasPassword: false };
  const userData = loginsIn(await userDataOf(connection, spec));
  const injected = await injectedKeys(connection, spec);
  return {
    ...((userData.user ?? injected.user) && { user: userData.user ?? injected.user }),
    keys: [...userData.keys, ...injected.keys],
    hasPassword: userData.hasPassword,
  };
}

async function userDataOf(connection: Connection, { volumes = [] }: VmiSpec): Promise<string> {
  const source = volumes.map((each) => each.cloudInitNoCloud ?? each.cloudInitConfigDrive).find(Boolean);
  if (!source) return '';
  if (source.userDataBase64) return Buffer.from(source.userDataBase64, 'base64').toString();
  const { name } = source.secretRef ?? {};
  if (!name) return source.userData ?? '';
  const data = await secretData(connection, name);
  return Buffer.from(data.userdata ?? data.userData ?? '', 'base64').toString();
}

/** Keys that come to the guest by access credentials. */
async function injectedKeys(connection: Connection, { accessCredentials = [] }: VmiSpec) {
  let user: string | undefined;
  const keys: string[] = [];
  for (const { sshPublicKey } of accessCredentials) {
    const name = sshPublicKey?.source?.secret?.secretName;
    if (!name) continue;
    user ??= sshPublicKey.propagationMethod?.qemuGuestAgent?.users?.[0];
    const values = Object.values(await secretData(connection, name));
    keys.push(...values.flatMap((value) => Buffer.from(value, 'base64').toString().split('\n')));
  }
  return { user, keys: keys.filter((key) => key.trim() !== '') };
}

/** Whoever may not read Secrets logs in without what they say. */
async function secretData({ client, namespace }: Connection, name: string): Promise<Record<string, string>> {
  const secret = await client
    .of(Secret)
    .find(name, { namespace })
    .catch(() => undefined);
  return secret?.data ?? {};
}

interface CloudConfigUser {
  readonly name?: unknown;
  readonly ssh_authorized_keys?: unknown;
  readonly plain_text_passwd?: unknown;
}

/** The first user of a cloud-config who can log in. What is no cloud-config says nothing. */
export function loginsIn(userData: string): Logins {
  const config = cloudConfigIn(userData);
  const users = Array.isArray(config.users) ? config.users.map(asUser) : [];
  const withKeys = users.find(({ ssh_authorized_keys: keys }) => stringsIn(keys).length > 0);
  const named = asUser(config.user).name ?? (withKeys ?? users.find(({ name }) => name && name !== 'default'))?.name;
  const user = typeof named === 'string' && isUserName(named) ? named : undefined;
  const keys = [...stringsIn(config.ssh_authorized_keys), ...stringsIn(withKeys?.ssh_authorized_keys)];
  const hasPassword = Boolean(config.password ?? users.find(({ plain_text_passwd: password }) => password));
  return { ...(user && { user }), keys, hasPassword };
}

function cloudConfigIn(userData: string): Record<string, unknown> {
  if (!userData.startsWith('#cloud-config')) return {};
  try {
    const value: unknown = parse(userData);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // cloud-init in the guest says what is wrong with it.
    return {};
  }
}

const asUser = (value: unknown): CloudConfigUser =>
  typeof value === 'string' ? { name: value } : typeof value === 'object' && value !== null ? value : {};

const stringsIn = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** ssh would take a name with a dash in front for an option. */
const isUserName = (name: string): boolean => /^[A-Za-z0-9_][^\s@:/]*$/.test(name);
