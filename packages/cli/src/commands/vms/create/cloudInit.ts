import { readFileSync } from 'node:fs';
import { Scalar, stringify } from 'yaml';
import { fileProblem } from '../../../failure.ts';
import { flagError } from './params.ts';
import { addVolume, type VmDraft } from './vmDraft.ts';

export interface CloudInitOptions {
  readonly user?: string;
  readonly passwordFile?: string;
  readonly sshKey?: readonly string[];
  readonly gaManageSsh?: boolean;
  readonly cloudInit?: string;
  readonly cloudInitUserData?: string;
  readonly cloudInitNetworkData?: string;
}

const HEADER = '#cloud-config';
const TYPES = ['nocloud', 'configdrive', 'none'] as const;

/** Adds the disk that tells the guest about its users, where one of the options asks for it. */
export function addCloudInit(draft: VmDraft, options: CloudInitOptions): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  if (options.passwordFile)
    console.error('WARNING: --password-file: The password is stored in cleartext in the VM definition!');
  const type = typeOf(options.cloudInit ?? 'nocloud');
  if (type === 'none') {
    if (given.some(([name]) => !['cloudInit', 'user'].includes(name)))
      console.error(
        'WARNING: --cloud-init: was set to none, not creating a data source although other cloud-init options were set',
      );
    return;
  }
  const userData = options.cloudInitUserData ? undefined : userDataOf(options);
  // A disk that says nothing is only made when it was asked for.
  if (userData === HEADER && !options.cloudInitNetworkData && options.cloudInit === undefined) return;
  const source = {
    ...(options.cloudInitNetworkData && { networkDataBase64: options.cloudInitNetworkData }),
    ...(userData === undefined ? { userDataBase64: options.cloudInitUserData } : { userData }),
  };
  const field = type === 'nocloud' ? 'cloudInitNoCloud' : 'cloudInitConfigDrive';
  addVolume(draft, 'cloud-init', { name: 'cloudinitdisk', [field]: source });
}

function typeOf(text: string): (typeof TYPES)[number] {
  const type = TYPES.find((each) => each === text.toLowerCase());
  if (!type)
    throw flagError(
      'cloud-init',
      `invalid cloud-init data source type "${text}", supported values are: ${TYPES.join(', ')}`,
    );
  return type;
}

/** The user data; what users give is data in it, whatever characters it has. */
export function userDataOf({ user, passwordFile, sshKey = [], gaManageSsh }: CloudInitOptions): string {
  const password = passwordFile === undefined ? '' : readPassword(passwordFile);
  return [
    HEADER,
    ...(user ? [`user: ${scalar(user)}`] : []),
    ...(password ? [`password: ${scalar(password)}`, 'chpasswd: { expire: False }'] : []),
    ...(sshKey.length > 0 ? ['ssh_authorized_keys:', ...sshKey.map((key) => `  - ${scalar(key)}`)] : []),
    ...(gaManageSsh ? ['runcmd:', "  - [ setsebool, -P, 'virt_qemu_ga_manage_ssh', 'on' ]"] : []),
  ].join('\n');
}

/** Plain where YAML would read back the same text, else quoted; always one line. */
function scalar(text: string): string {
  const isPlain = !text.includes('\n') && stringify(text, { lineWidth: 0 }) === `${text}\n`;
  if (isPlain) return text;
  const quoted = new Scalar(text);
  quoted.type = Scalar.QUOTE_DOUBLE;
  return stringify(quoted, { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }).trimEnd();
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw flagError('password-file', fileProblem(error));
  }
}
