import { randomBytes } from 'node:crypto';
import { controllerReference, type Persisted, PersistentVolumeClaim, Secret } from '@vireo/api';
import { TOKEN_KEY } from '@vireo/api/kinds/export/names.ts';
import { VirtualMachineExport, type VirtualMachineExportStatus } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { type Client, type Draft, ignoreAlreadyExists, ignoreNotFoundOrConflict, type Recorder } from '@vireo/kube';
import { uploadTrust } from '../shared/uploadTrust.ts';

/** What the controller of exports reads and writes. */
export interface ExportActions {
  /** Makes the Secret with a password, unless it is there. Whether it is the export's own. */
  provideToken(exported: Persisted<VirtualMachineExport>, name: string): Promise<boolean>;
  createClaim(claim: Draft<PersistentVolumeClaim>): Promise<void>;
  /** Whether there was something to write. */
  writeStatus(exported: Persisted<VirtualMachineExport>, status: VirtualMachineExportStatus): Promise<boolean>;
  remove(exported: Persisted<VirtualMachineExport>): Promise<void>;
  /** What the server is trusted by, in the export's namespace. */
  certificate(namespace: string | undefined): Promise<string | undefined>;
  recordEvent(exported: Persisted<VirtualMachineExport>, reason: string, message: string): void;
}

const PASSWORD_BYTES = 15;

export function exportActions(client: Client, recorder: Recorder): ExportActions {
  const exports = client.of(VirtualMachineExport);
  const secrets = client.of(Secret);
  return {
    async provideToken(exported, name) {
      const { namespace } = exported.metadata;
      const draft = {
        metadata: { name, namespace, ownerReferences: [controllerReference(exported, VirtualMachineExport)] },
        type: 'Opaque',
        stringData: { [TOKEN_KEY]: randomBytes(PASSWORD_BYTES).toString('base64url') },
      };
      const own = await secrets.createOrGet(draft).catch(ignoreAlreadyExists);
      if (own?.wasCreated)
        recorder.event(exported, 'Normal', 'SecretCreated', `Created Secret ${name} with the password of the export`);
      return own !== undefined;
    },
    async createClaim(claim) {
      await client.of(PersistentVolumeClaim).create(claim);
    },
    async writeStatus(exported, status) {
      return (await exports.writeStatus(exported, status)) !== undefined;
    },
    async remove(exported) {
      await exports.deleteExactly(exported).catch(ignoreNotFoundOrConflict);
    },
    certificate: (namespace) => uploadTrust(client, namespace),
    recordEvent: (exported, reason, message) => recorder.event(exported, 'Normal', reason, message),
  };
}
