import type { FieldError } from '@vireo/api';
import type { SSHPublicKeyAccessCredential } from '@vireo/api/kinds/kubevirt/accessCredential.ts';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type Rule, when } from './rule.ts';

export const accessCredentials: Rule = ({ spec, path }) =>
  (spec.accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }, index) => {
    const field = `${path}.accessCredentials[${index}]`;
    return [
      ...(sshPublicKey ? keys(sshPublicKey, spec.volumes ?? [], field) : []),
      ...(userPassword
        ? [
            ...oneSource(userPassword.source?.secret, field, 'userPassword'),
            ...oneMethod([userPassword.propagationMethod?.qemuGuestAgent], field, 'userPassword'),
          ]
        : []),
      ...when(
        [sshPublicKey, userPassword].filter(Boolean).length !== 1,
        field,
        `${field} must have exactly one access credential type set`,
      ),
    ];
  });

function keys(
  { source, propagationMethod = {} }: SSHPublicKeyAccessCredential,
  volumes: Volume[],
  field: string,
): FieldError[] {
  const { noCloud, configDrive, qemuGuestAgent } = propagationMethod;
  const at = `${field}.sshPublicKey.propagationMethod`;
  return [
    ...when(
      noCloud && !volumes.some(({ cloudInitNoCloud }) => cloudInitNoCloud),
      at,
      `${field} requires a noCloud volume to exist when the noCloud propagationMethod is in use.`,
    ),
    ...when(
      configDrive && !volumes.some(({ cloudInitConfigDrive }) => cloudInitConfigDrive),
      at,
      `${field} requires a configDrive volume to exist when the configDrive propagationMethod is in use.`,
    ),
    ...when(
      qemuGuestAgent && !qemuGuestAgent.users?.length,
      `${at}.qemuGuestAgent.users`,
      `${field} requires at least one user to be present in the users list`,
    ),
    ...oneSource(source?.secret, field, 'sshPublicKey'),
    ...oneMethod([noCloud, configDrive, qemuGuestAgent], field, 'sshPublicKey'),
  ];
}

const oneSource = (secret: unknown, field: string, kind: string): FieldError[] =>
  when(!secret, `${field}.${kind}.source`, `${field} must have exactly one source set`);

const oneMethod = (methods: unknown[], field: string, kind: string): FieldError[] =>
  when(
    methods.filter(Boolean).length !== 1,
    `${field}.${kind}.propagationMethod`,
    `${field} must have exactly one propagationMethod set`,
  );
