import { boolean, type Infer, int64, list, opt, req, string, struct } from '../../schema.ts';

export const Capabilities = struct('io.k8s.api.core.v1.Capabilities', 'Linux capabilities to add and to drop.', {
  add: opt(1, list(string, 'atomic'), 'Linux capabilities to add.'),
  drop: opt(2, list(string, 'atomic'), 'Capabilities to drop.'),
});
export interface Capabilities extends Infer<typeof Capabilities> {}

export const SELinuxOptions = struct('io.k8s.api.core.v1.SELinuxOptions', 'SELinux label of a container.', {
  level: opt(4, string, 'Level of the SELinux label.'),
  role: opt(2, string, 'Role of the SELinux label.'),
  type: opt(3, string, 'Type of the SELinux label.'),
  user: opt(1, string, 'User of the SELinux label.'),
});
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

export const SeccompProfile = struct(
  'io.k8s.api.core.v1.SeccompProfile',
  'Seccomp profile, which restricts system calls.',
  {
    localhostProfile: opt(2, string, { pointer: true, doc: 'File of the profile on the node; for type Localhost.' }),
    type: req(1, string, 'Kind of profile: RuntimeDefault, Unconfined or Localhost.'),
  },
);
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

export const AppArmorProfile = struct('io.k8s.api.core.v1.AppArmorProfile', 'AppArmor profile of a container.', {
  localhostProfile: opt(2, string, { pointer: true, doc: 'Profile loaded on the node; for type Localhost.' }),
  type: req(1, string, 'Kind of profile: RuntimeDefault, Unconfined or Localhost.'),
});
export interface AppArmorProfile extends Infer<typeof AppArmorProfile> {}

export const WindowsSecurityContextOptions = struct(
  'io.k8s.api.core.v1.WindowsSecurityContextOptions',
  'Security settings for Windows containers.',
  {
    gmsaCredentialSpec: opt(2, string, { pointer: true, doc: 'Content of the GMSA credential spec.' }),
    gmsaCredentialSpecName: opt(1, string, { pointer: true, doc: 'Name of the GMSA credential spec.' }),
    hostProcess: opt(4, boolean, { pointer: true, doc: 'Whether the container runs as a host process.' }),
    runAsUserName: opt(3, string, { pointer: true, doc: 'The Windows user that runs the entry point.' }),
  },
);
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptions> {}

export const SecurityContext = struct(
  'io.k8s.api.core.v1.SecurityContext',
  'Security settings of a container. They override those of the pod.',
  {
    allowPrivilegeEscalation: opt(7, boolean, {
      pointer: true,
      doc: 'Whether a process may gain more privileges than its parent.',
    }),
    appArmorProfile: opt(12, AppArmorProfile, 'AppArmor profile of the container.'),
    capabilities: opt(1, Capabilities, 'Linux capabilities to add and to take away.'),
    privileged: opt(2, boolean, { pointer: true, doc: "Whether the container is as mighty as the host's root." }),
    procMount: opt(9, string, { pointer: true, doc: 'How /proc is mounted: Default or Unmasked.' }),
    readOnlyRootFilesystem: opt(6, boolean, { pointer: true, doc: 'Whether the root file system cannot be written.' }),
    runAsGroup: opt(8, int64, { pointer: true, doc: 'The primary group of the process.' }),
    runAsNonRoot: opt(5, boolean, { pointer: true, doc: 'Whether to refuse to start as root.' }),
    runAsUser: opt(4, int64, { pointer: true, doc: "User ID of the container's process." }),
    seLinuxOptions: opt(3, SELinuxOptions, 'SELinux label of the container.'),
    seccompProfile: opt(11, SeccompProfile, 'The system calls that are allowed.'),
    windowsOptions: opt(10, WindowsSecurityContextOptions, 'Settings for Windows containers.'),
  },
);
export interface SecurityContext extends Infer<typeof SecurityContext> {}

export const Sysctl = struct('io.k8s.api.core.v1.Sysctl', 'A kernel parameter to set.', {
  name: req(1, string, 'Name of the parameter.'),
  value: req(2, string, 'Value of the parameter.'),
});
export interface Sysctl extends Infer<typeof Sysctl> {}

export const PodSecurityContext = struct(
  'io.k8s.api.core.v1.PodSecurityContext',
  'Security settings for all containers of a pod.',
  {
    appArmorProfile: opt(11, AppArmorProfile, 'The AppArmor profile of all containers.'),
    fsGroup: opt(5, int64, { pointer: true, doc: "Group ID that owns the pod's volumes." }),
    fsGroupChangePolicy: opt(9, string, {
      pointer: true,
      doc: 'When volumes change their owner: Always or OnRootMismatch.',
    }),
    runAsGroup: opt(6, int64, { pointer: true, doc: 'The primary group of all processes.' }),
    runAsNonRoot: opt(3, boolean, { pointer: true, doc: 'Whether to refuse to start as root.' }),
    runAsUser: opt(2, int64, { pointer: true, doc: "User ID of the containers' processes." }),
    seLinuxChangePolicy: opt(13, string, {
      pointer: true,
      doc: 'How volumes get their SELinux label: MountOption or Recursive.',
    }),
    seLinuxOptions: opt(1, SELinuxOptions, 'The SELinux label of all containers.'),
    seccompProfile: opt(10, SeccompProfile, 'The system calls that are allowed.'),
    supplementalGroups: opt(4, list(int64, 'atomic'), "Supplementary group IDs of the containers' processes."),
    supplementalGroupsPolicy: opt(12, string, {
      pointer: true,
      doc: "Whether the image's groups are added: Merge or Strict.",
    }),
    sysctls: opt(7, list(Sysctl, 'atomic'), 'Kernel parameters to set for the pod.'),
    windowsOptions: opt(8, WindowsSecurityContextOptions, 'Settings for Windows containers.'),
  },
);
export interface PodSecurityContext extends Infer<typeof PodSecurityContext> {}
