export {
  applyObjects,
  applySettings,
  FIELD_MANAGER,
  type InstallOptions,
  install,
  installationObjects,
  instancetypeObjects,
  kindOf,
  settingsSpec,
  waitUntilEstablished,
  withChecksum,
} from './install.ts';
export { keepInstalled } from './keepInstalled.ts';
export type { Health } from './kubevirt/health.ts';
export { IDENTITY, type Identity, identityObjects, USER } from './rbac.ts';
export { type ControllersContext, startControllers } from './start.ts';
export { launcherPod } from './vmi/launcherPod.ts';
