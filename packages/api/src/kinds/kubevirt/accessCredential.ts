import { type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const AccessCredentialSecretSource = struct(
  'io.kubevirt.v1.AccessCredentialSecretSource',
  'Refers to a Secret that holds credentials.',
  {
    secretName: required(string, 'Name of a Secret in the same namespace.'),
  },
);
export interface AccessCredentialSecretSource extends Infer<typeof AccessCredentialSecretSource> {}

export const ConfigDriveSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.ConfigDriveSSHPublicKeyAccessCredentialPropagation',
  'Writes the keys to the config drive. A change takes effect at the next boot.',
  {},
);
export interface ConfigDriveSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof ConfigDriveSSHPublicKeyAccessCredentialPropagation> {}

export const NoCloudSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.NoCloudSSHPublicKeyAccessCredentialPropagation',
  'Writes the keys to the NoCloud disk. A change takes effect at the next boot.',
  {},
);
export interface NoCloudSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof NoCloudSSHPublicKeyAccessCredentialPropagation> {}

export const QemuGuestAgentSSHPublicKeyAccessCredentialPropagation = struct(
  'io.kubevirt.v1.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation',
  'Sends the keys to the QEMU guest agent. A change takes effect in the running guest.',
  {
    users: required(list(string, 'set'), 'Users of the guest who get the keys.'),
  },
);
export interface QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
  extends Infer<typeof QemuGuestAgentSSHPublicKeyAccessCredentialPropagation> {}

export const SSHPublicKeyAccessCredentialPropagationMethod = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredentialPropagationMethod',
  'How the public keys reach the guest. Set exactly one field.',
  {
    configDrive: optional(ConfigDriveSSHPublicKeyAccessCredentialPropagation, 'By the config drive, at the next boot.'),
    noCloud: optional(NoCloudSSHPublicKeyAccessCredentialPropagation, 'By the NoCloud disk, at the next boot.'),
    qemuGuestAgent: optional(
      QemuGuestAgentSSHPublicKeyAccessCredentialPropagation,
      'Send the keys to the QEMU guest agent while the guest runs.',
    ),
  },
);
export interface SSHPublicKeyAccessCredentialPropagationMethod
  extends Infer<typeof SSHPublicKeyAccessCredentialPropagationMethod> {}

export const SSHPublicKeyAccessCredentialSource = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredentialSource',
  'Where the public keys are read from.',
  {
    secret: optional(AccessCredentialSecretSource, 'Secret in which each key holds one public key.'),
  },
);
export interface SSHPublicKeyAccessCredentialSource extends Infer<typeof SSHPublicKeyAccessCredentialSource> {}

export const SSHPublicKeyAccessCredential = struct(
  'io.kubevirt.v1.SSHPublicKeyAccessCredential',
  'SSH public keys that may log in to the guest.',
  {
    propagationMethod: required(
      SSHPublicKeyAccessCredentialPropagationMethod,
      'How the keys reach the guest: configDrive, noCloud or qemuGuestAgent.',
    ),
    source: required(SSHPublicKeyAccessCredentialSource, 'Secret that the keys are read from.'),
  },
);
export interface SSHPublicKeyAccessCredential extends Infer<typeof SSHPublicKeyAccessCredential> {}

export const QemuGuestAgentUserPasswordAccessCredentialPropagation = struct(
  'io.kubevirt.v1.QemuGuestAgentUserPasswordAccessCredentialPropagation',
  'Sends the passwords to the QEMU guest agent. A change takes effect in the running guest.',
  {},
);
export interface QemuGuestAgentUserPasswordAccessCredentialPropagation
  extends Infer<typeof QemuGuestAgentUserPasswordAccessCredentialPropagation> {}

export const UserPasswordAccessCredentialPropagationMethod = struct(
  'io.kubevirt.v1.UserPasswordAccessCredentialPropagationMethod',
  'How the passwords reach the guest.',
  {
    qemuGuestAgent: optional(
      QemuGuestAgentUserPasswordAccessCredentialPropagation,
      'Send the passwords to the QEMU guest agent while the guest runs.',
    ),
  },
);
export interface UserPasswordAccessCredentialPropagationMethod
  extends Infer<typeof UserPasswordAccessCredentialPropagationMethod> {}

export const UserPasswordAccessCredentialSource = struct(
  'io.kubevirt.v1.UserPasswordAccessCredentialSource',
  'Where user names and passwords are read from.',
  {
    secret: optional(
      AccessCredentialSecretSource,
      'Secret in which each key is a user name and its value the password.',
    ),
  },
);
export interface UserPasswordAccessCredentialSource extends Infer<typeof UserPasswordAccessCredentialSource> {}

export const UserPasswordAccessCredential = struct(
  'io.kubevirt.v1.UserPasswordAccessCredential',
  'Passwords of users in the guest.',
  {
    propagationMethod: required(UserPasswordAccessCredentialPropagationMethod, 'How the passwords reach the guest.'),
    source: required(
      UserPasswordAccessCredentialSource,
      'Secret that holds user names as keys and passwords as values.',
    ),
  },
);
export interface UserPasswordAccessCredential extends Infer<typeof UserPasswordAccessCredential> {}

export const AccessCredential = struct(
  'io.kubevirt.v1.AccessCredential',
  'Credentials to install in the guest. Set exactly one field.',
  {
    sshPublicKey: optional(SSHPublicKeyAccessCredential, 'Public keys that may log in by SSH.'),
    userPassword: optional(UserPasswordAccessCredential, 'Passwords to set for users in the guest.'),
  },
);
export interface AccessCredential extends Infer<typeof AccessCredential> {}
