import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, isNamespaceTerminating, type Recorder } from '@vireo/kube';

/** What a new migration says beside the VMI that it is of. */
export interface MigrationDraft {
  readonly generateName: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly priority: string;
  /** For the event, after the name of the migration. */
  readonly why?: string;
}

/** Has a VMI migrate, and says so on the VMI. */
export async function createMigration(
  vmi: Vmi,
  { generateName, annotations, labels, priority, why = '' }: MigrationDraft,
  client: Client,
  recorder: Recorder,
): Promise<void> {
  const { name: vmiName, namespace } = vmi.metadata;
  try {
    const { metadata } = await client.of(VirtualMachineInstanceMigration).create({
      metadata: { generateName, namespace, annotations: { ...annotations }, ...(labels && { labels: { ...labels } }) },
      spec: { vmiName, priority },
    });
    recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created Migration ${metadata.name}${why}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!isNamespaceTerminating(error))
      recorder.event(vmi, 'Warning', 'FailedCreate', `Error creating a Migration: ${message}`);
    throw error;
  }
}
