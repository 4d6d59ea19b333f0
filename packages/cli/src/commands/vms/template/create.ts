import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';

interface CreateOptions extends ConnectionOptions {
  readonly vmName: string;
  readonly vmNamespace?: string;
  readonly name?: string;
}

/** Asks for a template of a VM. */
export async function createCommand({ vmName, vmNamespace, name, ...options }: CreateOptions): Promise<void> {
  await connected(options, async (connection) => {
    const { client, namespace } = connection;
    const request = await orFail(
      connection,
      (why) => `error creating VirtualMachineTemplateRequest: ${why}`,
      () =>
        client.of(VirtualMachineTemplateRequest).create({
          metadata: { generateName: `${vmName}-`, namespace },
          spec: {
            virtualMachineRef: { namespace: vmNamespace ?? namespace, name: vmName },
            ...(name && { templateName: name }),
          },
        }),
    );
    process.stdout.write(`virtualmachinetemplaterequest.template.kubevirt.io/${request.metadata.name} created\n`);
  });
}
