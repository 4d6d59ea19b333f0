import { conflict, type Persisted } from '@vireo/api';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';

export const imageConflict = ({ metadata }: Persisted<VirtualMachineImage>, why: string) =>
  conflict({ group: VirtualMachineImage.group, resource: VirtualMachineImage.plural }, metadata.name, why);
