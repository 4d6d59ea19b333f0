/** One small object of every kind around virtual machines, by kind, as a user would write it. */
const vmRef = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
const vmiSpec = {
  domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }, memory: { guest: '128Mi' } },
  volumes: [{ name: 'root', containerDisk: { image: 'example/disk:1' } }],
};
const vmSpec = { runStrategy: 'Halted', template: { spec: vmiSpec } };
const labelled = { metadata: { labels: { app: 'web' } } };
const selector = { matchLabels: { app: 'web' } };
const size = { cpu: { guest: 2 }, memory: { guest: '1Gi' } };
const storage = { resources: { requests: { storage: '1Gi' } } };

export const fixtures: Readonly<Record<string, object>> = {
  VirtualMachine: { spec: vmSpec },
  VirtualMachineInstance: { spec: vmiSpec },
  VirtualMachineInstanceReplicaSet: { spec: { replicas: 2, selector, template: { ...labelled, spec: vmiSpec } } },
  VirtualMachineInstanceMigration: { spec: { vmiName: 'web' } },
  VirtualMachineInstancePreset: { spec: { selector, domain: { devices: {} } } },
  KubeVirt: { spec: { configuration: { developerConfiguration: { useEmulation: true } } } },
  VirtualMachinePool: {
    spec: { replicas: 3, selector, virtualMachineTemplate: { ...labelled, spec: vmSpec }, maxUnavailable: '50%' },
  },
  VirtualMachineSnapshot: { spec: { source: vmRef, failureDeadline: '5m' } },
  VirtualMachineSnapshotContent: { spec: { source: { virtualMachine: { metadata: null, spec: vmSpec } } } },
  VirtualMachineRestore: { spec: { target: vmRef, virtualMachineSnapshotName: 'before' } },
  VirtualMachineClone: { spec: { source: vmRef, labelFilters: ['*'] } },
  VirtualMachineExport: { spec: { source: vmRef, ttlDuration: '1h' } },
  VirtualMachineInstancetype: { spec: size },
  VirtualMachineClusterInstancetype: { spec: size },
  VirtualMachinePreference: { spec: { cpu: { preferredCPUTopology: 'cores' } } },
  VirtualMachineClusterPreference: { spec: { devices: { preferredDiskBus: 'virtio' } } },
  MigrationPolicy: { spec: { selectors: { namespaceSelector: { team: 'a' } }, bandwidthPerMigration: '64Mi' } },
  VirtualMachineBackup: { spec: { source: vmRef, pvcName: 'backup', mode: 'Push' } },
  VirtualMachineBackupTracker: { spec: { source: vmRef } },
  VirtualMachineTemplate: { spec: { virtualMachine: { spec: vmSpec }, parameters: [{ name: 'SIZE' }] } },
  VirtualMachineTemplateRequest: { spec: { virtualMachineRef: { namespace: 'default', name: 'web' } } },
  Plugin: { spec: { domainHooks: [{ cel: { expression: 'domain' }, timeout: '5s' }] } },
  Inventory: { spec: { baseboardSpec: { connection: { host: '192.0.2.1', authSecretRef: { name: 'bmc' } } } } },
  DataVolume: { spec: { source: { http: { url: 'https://example.com/disk.img' } }, storage } },
  DataSource: { spec: { source: { pvc: { namespace: 'default', name: 'golden' } } } },
  DataImportCron: {
    spec: {
      managedDataSource: 'golden',
      schedule: '0 0 * * *',
      template: { spec: { source: { registry: { url: 'docker://example/disk' } }, storage } },
    },
  },
  StorageProfile: { spec: { claimPropertySets: [{ accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }] } },
  CDIConfig: { spec: { filesystemOverhead: { global: '0.06' } } },
  CDI: { spec: { config: { featureGates: ['HonorWaitForFirstConsumer'] } } },
  VolumeImportSource: { spec: { source: { blank: {} } } },
  VolumeUploadSource: { spec: { contentType: 'kubevirt' } },
  VolumeCloneSource: { spec: { source: { kind: 'PersistentVolumeClaim', name: 'golden' } } },
  VolumeSnapshot: { spec: { source: { persistentVolumeClaimName: 'root' } } },
  VolumeSnapshotContent: {
    spec: {
      deletionPolicy: 'Delete',
      driver: 'example.com',
      source: { volumeHandle: 'v' },
      volumeSnapshotRef: { namespace: 'default', name: 's' },
    },
  },
  VolumeSnapshotClass: { driver: 'example.com', deletionPolicy: 'Delete' },
  VirtualMachineImage: { spec: { displayName: 'debian', sourceType: 'download', url: 'https://example.com/disk.img' } },
  // KubeVirt has another kind of that name.
  'harvesterhci.io/VirtualMachineTemplate': { spec: { description: 'web servers', defaultVersionId: 'default/web-1' } },
  VirtualMachineTemplateVersion: {
    spec: { templateId: 'default/web', keyPairIds: ['default/ada'], vm: { ...labelled, spec: vmSpec } },
  },
  KeyPair: { spec: { publicKey: 'ssh-ed25519 AAAA ada' } },
  ResourceQuota: {
    spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 1024, vmTotalSnapshotSizeQuota: { web: 512 } } },
  },
  'harvesterhci.io/VirtualMachineBackup': { spec: { source: vmRef, type: 'snapshot', fsFreezeDeadline: '30s' } },
  'harvesterhci.io/VirtualMachineRestore': {
    spec: { target: vmRef, virtualMachineBackupName: 'monday', newVM: true, deletionPolicy: 'retain' },
  },
  ScheduleVMBackup: { spec: { cron: '0 3 * * *', vmbackup: { source: vmRef } } },
  Setting: { value: '{}' },
  UpgradeLog: { spec: { upgradeName: 'hvst-upgrade-1' } },
  NetworkAttachmentDefinition: { spec: { config: '{"cniVersion":"0.3.1","type":"bridge","bridge":"br0"}' } },
};
