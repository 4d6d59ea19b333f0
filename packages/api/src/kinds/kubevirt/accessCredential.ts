import { type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const AccessCredentialSecretSource = struct(
  'io.kubevirt.v1.AccessCredentialSecretSource',
  'A secret with credentials.',
  {
    secretName: required(string, 'Name of the secret.'),
  },
);
export interface AccessCredentialSecretSource extends Infer<typeof AccessCredentialSecretSource> {}

export const ConfigDriveSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.ConfigDriveSSHPublicKeyAccessCredentialPropagation',
  'Keys arrive by the config drive, at the next boot.',
  {},
);
export interface ConfigDriveSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof ConfigDriveSSHPublicKeyAccessCredentialPropagation> {}

export const NoCloudSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.NoCloudSSHPublicKeyAccessCredentialPropagation',
  'Keys arrive by the NoCloud disk, at the next boot.',
  {},
);
export interface NoCloudSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof NoCloudSSHPublicKeyAccessCredentialPropagation> {}

export const QemuGuestAgentSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation',
  'Keys arrive by the guest agent, at once.',
  {
    users: required(list(string, 'set'), 'Users of the guest who get the keys.'),
  },
);
export interface QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof QemuGuestAgentSSHPublicKeyAccessCredentialPropagation> {}

export const SSHPublicKeyAccessCredentialPropagationMethod = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredentialPropagationMethod',
  'How keys reach the guest. One of the three.',
  {
    configDrive: optional(ConfigDriveSSHPublicKeyAccessCredentialPropagation, 'By the config drive, at the next boot.'),
    noCloud: optional(NoCloudSSHPublicKeyAccessCredentialPropagation, 'By the NoCloud disk, at the next boot.'),
    qemuGuestAgent: optional(QemuGuestAgentSSHPublicKeyAccessCredentialPropagation, 'By the guest agent, at once.'),
  },
);
export interface SSHPublicKeyAccessCredentialPropagationMethod
  extends Infer<typeof SSHPublicKeyAccessCredentialPropagationMethod> {}

export const SSHPublicKeyAccessCredentialSource = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredentialSource',
  'Where keys come from.',
  {
    secret: optional(AccessCredentialSecretSource, 'A secret; each of its keys holds one public key.'),
  },
);
export interface SSHPublicKeyAccessCredentialSource extends Infer<typeof SSHPublicKeyAccessCredentialSource> {}

export const SSHPublicKeyAccessCredential = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredential',
  'Public keys that may log in by SSH.',
  {
    propagationMethod: required(SSHPublicKeyAccessCredentialPropagationMethod, 'How they reach the guest.'),
    source: required(SSHPublicKeyAccessCredentialSource, 'Where they come from.'),
  },
);
export interface SSHPublicKeyAccessCredential extends Infer<typeof SSHPublicKeyAccessCredential> {}

export const QemuGuestAgentUserPasswordAccessCredentialPropagation = struct(
  'io.kubevirt.v1.QemuGuestAgentUserPasswordAccessCredentialPropagation',
  'Passwords arrive by the guest agent, at once.',
  {},
);
export interface QemuGuestAgentUserPasswordAccessCredentialPropagation
  extends Infer<typeof QemuGuestAgentUserPasswordAccessCredentialPropagation> {}

export const UserPasswordAccessCredentialPropagationMethod = struct(
  'io.kubevirt.v1.UserPasswordAccessCredentialPropagationMethod',
  'How passwords reach the guest.',
  {
    qemuGuestAgent: optional(QemuGuestAgentUserPasswordAccessCredentialPropagation, 'By the guest agent, at once.'),
  },
);
export interface UserPasswordAccessCredentialPropagationMethod
  extends Infer<typeof UserPasswordAccessCredentialPropagationMethod> {}

export const UserPasswordAccessCredentialSource = struct(
  'io.kubevirt.v1.UserPasswordAccessCredentialSource',
  'Where passwords come from.',
  {
    secret: optional(AccessCredentialSecretSource, 'A secret; each of its keys is a user, and its value the password.'),
  },
);
export interface UserPasswordAccessCredentialSource extends Infer<typeof UserPasswordAccessCredentialSource> {}

export const UserPasswordAccessCredential = struct(
  'io.kubevirt.v1.UserPasswordAccessCredential',
  'Passwords of users of the guest.',
  {
    propagationMethod: required(UserPasswordAccessCredentialPropagationMethod, 'How they reach the guest.'),
    source: required(UserPasswordAccessCredentialSource, 'Where they come from.'),
  },
);
export interface UserPasswordAccessCredential extends Infer<typeof UserPasswordAccessCredential> {}

export const AccessCredential = struct(
  'io.kubevirt.v1.AccessCredential',
  'Credentials that are put into the guest. One of the two.',
  {
    sshPublicKey: optional(SSHPublicKeyAccessCredential, 'Public keys that may log in by SSH.'),
    userPassword: optional(UserPasswordAccessCredential, 'Passwords of users.'),
  },
);
export interface AccessCredential extends Infer<typeof AccessCredential> {}
