import { stringify } from 'yaml';
import { readYaml } from '../yaml/text.ts';
import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { DISKS, listAt, type Objects, textAt, VOLUMES, vmName, vmNamespace, withList } from './objects.ts';

/** Who can log in. */
export interface Login {
  readonly user: string;
  readonly keys: readonly string[];
  readonly password: string;
}

const HEADER = '#cloud-config';
const VOLUME = 'cloudinit';
const KNOWN = ['user', 'ssh_authorized_keys', 'password', 'chpasswd', 'ssh_pwauth'];
/** What KubeVirt takes in the VM itself. */
const MOST_BYTES = 2_048;

/** The user data; undefined if there is none, or only elsewhere. */
export function readUserData({ vm, secret }: Objects): string | undefined {
  const volume = listAt(vm, VOLUMES).find((each) => isMapping(each.cloudInitNoCloud));
  if (!volume) return undefined;
  const reference = textAt(volume, ['cloudInitNoCloud', 'secretRef', 'name']);
  if (reference !== '')
    return secret && textAt(secret, ['metadata', 'name']) === reference
      ? textAt(secret, ['stringData', 'userdata'])
      : undefined;
  const text = valueAt(volume, ['cloudInitNoCloud', 'userData']);
  return typeof text === 'string' ? text : undefined;
}

/** Whether user data comes from a Secret that exists already, or in a form that the page does not edit. */
export const isUserDataElsewhere = (objects: Objects): boolean =>
  readUserData(objects) === undefined &&
  listAt(objects.vm, VOLUMES).some((each) => isMapping(each.cloudInitNoCloud) || isMapping(each.cloudInitConfigDrive));

/** The Secret that user data comes from, if that is not made here. */
export const userDataSecret = ({ vm }: Objects): string =>
  listAt(vm, VOLUMES)
    .map((each) => textAt(each, ['cloudInitNoCloud', 'secretRef', 'name']))
    .find(Boolean) ?? '';

/** The login that user data describes; undefined if it says more than that. */
export function loginIn(userData: string): Login | undefined {
  if (userData.trim() === '' || userData.trim() === HEADER) return { user: '', keys: [], password: '' };
  const [config] = readYaml(userData).documents ?? [];
  if (!userData.startsWith(HEADER) || !isMapping(config)) return undefined;
  if (Object.keys(config).some((key) => !KNOWN.includes(key))) return undefined;
  const keys = config.ssh_authorized_keys ?? [];
  if (!Array.isArray(keys) || typeof (config.user ?? '') !== 'string') return undefined;
  return { user: textAt(config, ['user']), keys: keys.map(String), password: textAt(config, ['password']) };
}

/** User data for a login; empty if nothing is said. What is typed is data in it, whatever characters it has. */
export function userDataFor({ user, keys, password }: Login): string {
  const settings = {
    ...(user !== '' && { user }),
    ...(keys.length > 0 && { ssh_authorized_keys: keys }),
    ...(password !== '' && { password, chpasswd: { expire: false }, ssh_pwauth: true }),
  };
  // cloud-init reads YAML 1.1, where `yes` and `0644` are no texts.
  return Object.keys(settings).length === 0
    ? ''
    : `${HEADER}\n${stringify(settings, { lineWidth: 0, compat: 'yaml-1.1' })}`;
}

/** Passwords in any of the forms that cloud-init takes; it is kinder to hide one too many. */
const hasPassword = (userData: string): boolean => /passw(or)?d/i.test(userData);

/** The objects with this user data: in a Secret if it has a password or is long, else in the VM. */
export function withUserData(objects: Objects, userData: string): Objects {
  const isSecret = hasPassword(userData) || new TextEncoder().encode(userData).length > MOST_BYTES;
  const secretName = textAt(objects.secret ?? {}, ['metadata', 'name']) || `${vmName(objects)}-cloud-init`;
  const source = userData === '' ? {} : isSecret ? { secretRef: { name: secretName } } : { userData };
  const vm = withCloudInit(objects.vm, source);
  return { vm, ...(isSecret && { secret: secretFor(objects, secretName, userData) }) };
}

/** Another source of user data; network data beside it stays. A volume that says nothing goes with its disk. */
function withCloudInit(vm: Mapping, source: Mapping): Mapping {
  const volumes = listAt(vm, VOLUMES);
  const disks = listAt(vm, DISKS);
  const before = volumes.find((each) => isMapping(each.cloudInitNoCloud));
  const name = textAt(before ?? {}, ['name']) || VOLUME;
  const { userData: _, userDataBase64: __, secretRef: ___, ...kept } = (before?.cloudInitNoCloud ?? {}) as Mapping;
  const cloudInitNoCloud = { ...kept, ...source };
  if (Object.keys(cloudInitNoCloud).length === 0) {
    const others = (list: readonly Mapping[]): Mapping[] => list.filter((each) => each.name !== name);
    return withList(withList(vm, DISKS, others(disks)), VOLUMES, others(volumes));
  }
  const volume = { name, cloudInitNoCloud };
  const hasDisk = disks.some((each) => each.name === name);
  const next = hasDisk ? vm : withList(vm, DISKS, [...disks, { name, disk: { bus: 'virtio' } }]);
  return withList(
    next,
    VOLUMES,
    before ? volumes.map((each) => (each === before ? volume : each)) : [...volumes, volume],
  );
}

function secretFor(objects: Objects, name: string, userdata: string): Mapping {
  const stringData = { ...(objects.secret?.stringData as object | undefined), userdata };
  if (objects.secret) return { ...objects.secret, stringData };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: vmNamespace(objects) },
    type: 'Opaque',
    stringData,
  };
}

/** What is wrong with user data, at its line; undefined if nothing is. Scripts and other forms are the guest's affair. */
export function userDataProblem(userData: string): string | undefined {
  if (userData.trim() === '') return undefined;
  if (
    /^(#!|#include|#cloud-boothook|#cloud-config-|#part-handler|## template|Content-Type:|MIME-Version:)/i.test(
      userData,
    )
  )
    return undefined;
  if (!/^#cloud-config\s*(\n|$)/.test(userData)) return `Line 1: it starts with neither ${HEADER} nor #!.`;
  const { documents = [], broken } = readYaml(userData);
  if (broken) return `Line ${broken.line}: ${broken.message}`;
  return documents.length > 0 && !isMapping(documents[0])
    ? 'Line 2: it is not a mapping of cloud-init keys.'
    : undefined;
}
