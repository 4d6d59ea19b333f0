import { flagError, type Params, readParams } from './params.ts';
import { ACCESS_SHAPE } from './shapes.ts';
import { localName } from './volumes.ts';

const FLAG = 'access-cred';

/** What the credentials ask of cloud-init. */
export interface AccessCredentials {
  readonly credentials: readonly object[];
  /** The agent has to write keys, unless the user said otherwise. */
  readonly gaManageSsh: boolean;
  /** The kind of disk that carries the keys. */
  readonly cloudInit?: 'nocloud' | 'configdrive';
}

export interface AccessOptions {
  readonly accessCred?: readonly string[];
  readonly user?: string;
  readonly cloudInit?: string;
}

/** Reads `--access-cred=type:ssh,src:SECRET,…`, as often as it was given. */
export function readAccessCredentials({ accessCred = [], user, cloudInit }: AccessOptions): AccessCredentials {
  let disk = cloudInit?.toLowerCase();
  let gaManageSsh = false;
  const credentials = accessCred.map((text) => {
    const given = readParams(FLAG, text, ACCESS_SHAPE);
    const secret = { secret: { secretName: localName(FLAG, given.src, 'secret') } };
    switch ((given.type ?? 'ssh').toLowerCase()) {
      case 'ssh': {
        const method = sshMethod(given, user);
        if ('qemuGuestAgent' in method) gaManageSsh = true;
        else disk = requireDisk(disk, 'noCloud' in method ? 'nocloud' : 'configdrive');
        return { sshPublicKey: { source: secret, propagationMethod: method } };
      }
      case 'password':
        checkPassword(given);
        return { userPassword: { source: secret, propagationMethod: { qemuGuestAgent: {} } } };
      default:
        throw flagError(FLAG, `invalid access credential type "${given.type}", supported values are: ssh, password`);
    }
  });
  return { credentials, gaManageSsh, ...(disk === 'nocloud' || disk === 'configdrive' ? { cloudInit: disk } : {}) };
}

type SshMethod = { qemuGuestAgent: { users: string[] } } | { noCloud: object } | { configDrive: object };

function sshMethod({ method = 'ga', user: ofParam }: Params<typeof ACCESS_SHAPE>, ofFlag?: string): SshMethod {
  const kind = method.toLowerCase();
  if (kind === 'ga') {
    const user = ofParam || ofFlag;
    if (!user)
      throw flagError(
        FLAG,
        'user must be specified with access credential ssh method ga ("--user" flag or param "user")',
      );
    return { qemuGuestAgent: { users: [user] } };
  }
  if (kind !== 'nocloud' && kind !== 'configdrive')
    throw flagError(
      FLAG,
      `invalid access credentials ssh method "${method}", supported values are: ga, nocloud, configdrive`,
    );
  if (ofParam) throw flagError(FLAG, USER_INVALID);
  return kind === 'nocloud' ? { noCloud: {} } : { configDrive: {} };
}

const USER_INVALID = 'user cannot be specified with selected access credential type and method';

function requireDisk(disk: string | undefined, needed: 'nocloud' | 'configdrive'): 'nocloud' | 'configdrive' {
  if (disk !== undefined && disk !== needed)
    throw flagError(FLAG, `method param and value passed to --cloud-init have to match: ${needed} vs ${disk}`);
  return needed;
}

function checkPassword({ method, user }: Params<typeof ACCESS_SHAPE>): void {
  if (method && method.toLowerCase() !== 'ga')
    throw flagError(FLAG, `invalid access credentials password method "${method}", supported values are: ga`);
  if (user) throw flagError(FLAG, USER_INVALID);
}
