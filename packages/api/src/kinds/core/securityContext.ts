import { boolean, type Infer, int64, list, opt, req, string, struct } from '../../schema.ts';

export const Capabilities = struct('io.k8s.api.core.v1.Capabilities', '', {
  add: opt(1, list(string, 'atomic')),
  drop: opt(2, list(string, 'atomic')),
});
export interface Capabilities extends Infer<typeof Capabilities> {}

export const SELinuxOptions = struct('io.k8s.api.core.v1.SELinuxOptions', '', {
  level: opt(4, string),
  role: opt(2, string),
  type: opt(3, string),
  user: opt(1, string),
});
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

export const SeccompProfile = struct('io.k8s.api.core.v1.SeccompProfile', '', {
  localhostProfile: opt(2, string),
  type: req(1, string),
});
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

export const AppArmorProfile = struct('io.k8s.api.core.v1.AppArmorProfile', '', {
  localhostProfile: opt(2, string),
  type: req(1, string),
});
export interface AppArmorProfile extends Infer<typeof AppArmorProfile> {}

export const WindowsSecurityContextOptions = struct('io.k8s.api.core.v1.WindowsSecurityContextOptions', '', {
  gmsaCredentialSpec: opt(2, string),
  gmsaCredentialSpecName: opt(1, string),
  hostProcess: opt(4, boolean),
  runAsUserName: opt(3, string),
});
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptions> {}

export const SecurityContext = struct('io.k8s.api.core.v1.SecurityContext', '', {
  allowPrivilegeEscalation: opt(7, boolean),
  appArmorProfile: opt(12, AppArmorProfile),
  capabilities: opt(1, Capabilities),
  privileged: opt(2, boolean),
  procMount: opt(9, string),
  readOnlyRootFilesystem: opt(6, boolean),
  runAsGroup: opt(8, int64),
  runAsNonRoot: opt(5, boolean),
  runAsUser: opt(4, int64),
  seLinuxOptions: opt(3, SELinuxOptions),
  seccompProfile: opt(11, SeccompProfile),
  windowsOptions: opt(10, WindowsSecurityContextOptions),
});
export interface SecurityContext extends Infer<typeof SecurityContext> {}

export const Sysctl = struct('io.k8s.api.core.v1.Sysctl', '', {
  name: req(1, string),
  value: req(2, string),
});
export interface Sysctl extends Infer<typeof Sysctl> {}

export const PodSecurityContext = struct('io.k8s.api.core.v1.PodSecurityContext', '', {
  appArmorProfile: opt(11, AppArmorProfile),
  fsGroup: opt(5, int64),
  fsGroupChangePolicy: opt(9, string),
  runAsGroup: opt(6, int64),
  runAsNonRoot: opt(3, boolean),
  runAsUser: opt(2, int64),
  seLinuxChangePolicy: opt(13, string),
  seLinuxOptions: opt(1, SELinuxOptions),
  seccompProfile: opt(10, SeccompProfile),
  supplementalGroups: opt(4, list(int64, 'atomic')),
  supplementalGroupsPolicy: opt(12, string),
  sysctls: opt(7, list(Sysctl, 'atomic')),
  windowsOptions: opt(8, WindowsSecurityContextOptions),
});
export interface PodSecurityContext extends Infer<typeof PodSecurityContext> {}
