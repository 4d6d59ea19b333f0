import { hostArchitecture } from '@vireo/hypervisor';
import {
  type Client,
  type Clock,
  type ControllerContext,
  consoleLog,
  controllerMetrics,
  EventRecorder,
  Informers,
  type Log,
  Metrics,
  withFields,
} from '@vireo/kube';
import { startBackups } from './backups.ts';
import { startImporterController } from './cdi/index.ts';
import { startCertificateApprover } from './certificates/index.ts';
import { startClaimTemplateController } from './claimtemplates/index.ts';
import { startCloneController } from './clone/index.ts';
import { startDataImportCronController } from './dataimportcron/index.ts';
import { startDataSourceController } from './datasource/index.ts';
import { startDataVolumeController } from './datavolume/index.ts';
import { startDisruptionBudgetController } from './disruptionbudget/index.ts';
import { startEvacuationController } from './evacuation/index.ts';
import { startExportController } from './export/index.ts';
import { startExtensionEndpointsController } from './extensionendpoints/index.ts';
import { startImageController } from './image/index.ts';
import { startImporterPodController } from './importerpod/index.ts';
import { startKeyPairController } from './keypair/index.ts';
import type { Health } from './kubevirt/health.ts';
import { startKubeVirtController } from './kubevirt/index.ts';
import { observedHealth } from './kubevirt/observedHealth.ts';
import { startLostVolumeController } from './lostvolumes/index.ts';
import { startMaintenanceController } from './maintenance/index.ts';
import { observeVms } from './metrics/index.ts';
import { startMigrationController } from './migration/index.ts';
import { startNodeController } from './node/index.ts';
import { startPlacementController } from './placement/index.ts';
import { startPoolController } from './pool/index.ts';
import { startPowerController } from './power/index.ts';
import { startQuotaNoticeController } from './quotanotice/index.ts';
import { startReplicaSetController } from './replicaset/index.ts';
import { startRestoreController } from './restore/index.ts';
import { startSharedDirectoryController } from './shared/index.ts';
import { startSnapshotController } from './snapshot/index.ts';
import { startSnapshotQuotaController } from './snapshotquota/index.ts';
import { startTemplateController } from './template/index.ts';
import { startUpgradeLogController } from './upgradelog/index.ts';
import { startVmController } from './vm/index.ts';
import { startVmiController } from './vmi/index.ts';
import { startVmTemplateController, startVmTemplateRequestController } from './vmtemplate/index.ts';
import { startVolumeSnapshotController } from './volumesnapshot/index.ts';
import { startWorkloadUpdateController } from './workloadupdate/index.ts';

export interface ControllersContext {
  /** Acts as `USER`. */
  readonly client: Client;
  /**
   * Who knows whether our parts are well; they are then shown as Deployments and a DaemonSet. `observed`: what the server
   * knows of them counts, and their Deployments are another's. Without it nothing is said of them.
   */
  readonly health?: Health | 'observed';
  /** Architecture of VMs that name none, in Kubernetes' words. Default: that of this host. */
  readonly architecture?: string;
  /** Where file systems of backup targets are mounted. */
  readonly runtimeDirectory?: string;
  /** Where disks are uploaded to and exports fetched from: address of the server, with or without `https://`. */
  readonly uploadUrl?: string;
  readonly log?: Log;
  /** Where the controllers, their caches and VMs are counted. */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

type Start = (context: ControllerContext, signal: AbortSignal) => Promise<void>;

/** The controllers by the name under which they report events. */
const CONTROLLERS: readonly (readonly [component: string, start: Start])[] = [
  ['virtualmachine-controller', startVmController],
  ['virtualmachine-controller', startVmiController],
  ['virtualmachinereplicaset-controller', startReplicaSetController],
  ['virtualmachinepool-controller', startPoolController],
  ['virtualmachinemigration-controller', startMigrationController],
  ['node-controller', startNodeController],
  ['datavolume-controller', startDataVolumeController],
  ['placement-controller', startPlacementController],
  ['shared-directory-controller', startSharedDirectoryController],
  ['import-controller', startImporterPodController],
  ['lost-volume-controller', startLostVolumeController],
  ['datasource-controller', startDataSourceController],
  ['dataimportcron-controller', startDataImportCronController],
  ['snapshot-controller', startVolumeSnapshotController],
  ['snapshot-controller', startSnapshotController],
  ['restore-controller', startRestoreController],
  ['clone-controller', startCloneController],
  ['image-controller', startImageController],
  ['claimtemplate-controller', startClaimTemplateController],
  ['disruptionbudget-controller', startDisruptionBudgetController],
  ['disruptionbudget-controller', startEvacuationController],
  ['workload-update-controller', startWorkloadUpdateController],
  ['maintenance-controller', startMaintenanceController],
  ['power-controller', startPowerController],
  ['upgradelog-controller', startUpgradeLogController],
  ['template-controller', startTemplateController],
  ['virt-template-controller', startVmTemplateController],
  ['virt-template-controller', startVmTemplateRequestController],
  ['keypair-controller', startKeyPairController],
  ['snapshotquota-controller', startSnapshotQuotaController],
  ['quotanotice-controller', startQuotaNoticeController],
  ['certificate-approver', startCertificateApprover],
  ['extension-endpoints-controller', startExtensionEndpointsController],
];

/** Starts every controller of VMs. `synced`: all know the present state; `ended`: all have stopped. */
export function startControllers(
  context: ControllersContext,
  signal: AbortSignal,
): { ended: Promise<void>; synced: Promise<void> } {
  const { client, health, architecture = hostArchitecture(), uploadUrl, clock, log: root = consoleLog } = context;
  const { metrics = new Metrics() } = context;
  const counted = controllerMetrics(metrics, 'kubevirt_', 'virt-controller');
  const informers = new Informers(client, { log: root, ...(clock && { clock }) });
  const recorders: EventRecorder[] = [];
  const contextFor = (component: string): ControllerContext => {
    const log = withFields(root, { component });
    const recorder = new EventRecorder(client, { component, log, ...(clock && { clock }) });
    recorders.push(recorder);
    return { client, informers, recorder, log, metrics: counted, ...(clock && { clock }) };
  };
  const running = CONTROLLERS.map(([component, start]) => start(contextFor(component), signal));
  running.push(
    startImporterController({ ...contextFor('cdi-operator'), ...(uploadUrl !== undefined && { uploadUrl }) }, signal),
  );
  const url = uploadUrl?.replace(/^(?!https?:)/, 'https://');
  running.push(
    startExportController({ ...contextFor('export-controller'), ...(url !== undefined && { url }) }, signal),
  );
  running.push(...startBackups(contextFor('backup-controller'), context.runtimeDirectory, signal));
  if (health) {
    const operator = { ...contextFor('virt-operator'), architecture };
    const installation =
      health === 'observed'
        ? { ...operator, health: observedHealth(informers), showsComponents: false }
        : { ...operator, health, showsComponents: true };
    running.push(startKubeVirtController(installation, signal));
  }
  observeVms(metrics, informers);
  informers.start(signal);
  const synced = informers.whenSynced();
  // Whoever waits hears of a stop before that; with nobody waiting it is no unhandled rejection.
  synced.catch(() => {});
  const ended = Promise.all(running).then(() => {
    for (const recorder of recorders) recorder.close();
  });
  return { ended, synced };
}
