/** Features that have become ordinary: on, whatever the settings say. */
const GENERAL = [
  'AutoResourceLimitsGate',
  'BochsDisplayForEFIGuests',
  'CPUManager',
  'CommonInstancetypesDeploymentGate',
  'DynamicPodInterfaceNaming',
  'GPU',
  'HotplugNICs',
  'InstancetypeReferencePolicy',
  'LiveMigration',
  'NUMA',
  'NetworkBindingPlugins',
  'NonRoot',
  'SRIOVLiveMigration',
  'SnapshotGate',
  'VMLiveUpdateFeatures',
  'VMPersistentState',
  'VolumeMigration',
  'VolumesUpdateStrategy',
] as const;

/** Features that are on unless `disabledFeatureGates` names them. */
const BETA = ['DeclarativeHotplugVolumes', 'ObjectGraph', 'VmiMemoryOverheadReport', 'Snapshot', 'VMExport'] as const;

/** The gates that are open. */
export const enabledGates = (enabled: readonly string[], disabled: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...GENERAL,
    ...BETA.filter((gate) => !disabled.includes(gate)),
    ...enabled.filter((gate) => !disabled.includes(gate)),
  ]);
