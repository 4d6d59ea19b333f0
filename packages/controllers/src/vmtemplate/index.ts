import { controllerOf, isDeleting } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { REQUEST_UID } from '@vireo/api/kinds/template/names.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { reconcileRequest } from './request.ts';
import { vmTemplateStatus } from './status.ts';

/** Says of KubeVirt's templates whether VMs can be made of them. */
export async function startVmTemplateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const templates = informers.for(VirtualMachineTemplate);
  const disks = informers.for(DataVolume, { indexes: { controller: (disk) => [controllerOf(disk)?.uid ?? ''] } });
  const reconcile = async (key: string): Promise<void> => {
    const template = templates.get(key);
    if (!template || isDeleting(template)) return;
    const status = vmTemplateStatus(
      template,
      disks.byIndex('controller', template.metadata.uid),
      new Date(clock.now()),
    );
    await client.of(VirtualMachineTemplate).writeStatus(template, status);
  };
  await runController({ name: 'vmtemplate', for: templates, owns: [disks], reconcile }, context, signal);
}

/** Makes templates of VMs, where somebody asks for one. */
export async function startVmTemplateRequestController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const requests = informers.for(VirtualMachineTemplateRequest, {
    indexes: { uid: ({ metadata }) => [metadata.uid] },
  });
  const templates = informers.for(VirtualMachineTemplate);
  const requestsOf = ({ metadata }: VirtualMachineTemplate): string[] =>
    requests.byIndex('uid', metadata.labels?.[REQUEST_UID] ?? '').map(keyOf);
  const reconcile = async (key: string) => {
    const request = requests.get(key);
    return request && reconcileRequest(request, client, new Date(clock.now()));
  };
  await runController(
    {
      name: 'vmtemplaterequest',
      for: requests,
      owns: [informers.for(VirtualMachineSnapshot)],
      // A template's condition tells when its disks are there.
      watches: [watch(templates, requestsOf)],
      reconcile,
    },
    context,
    signal,
  );
}
