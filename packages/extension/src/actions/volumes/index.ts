import { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { withOptional } from '../../schemaTypes.ts';
import { vmAction, vmiAction } from '../action.ts';
import { changeVolumes } from './change.ts';
import { DISC_NEEDS } from './disc.ts';
import { ofVm, ofVmi, planAdd, planRemove } from './plan.ts';

/** The disk has the name of the volume, and need not say so. */
const AddVolumeBody = withOptional(AddVolumeOptions, 'disk', 'name');

const ADD = {
  name: 'addvolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Attaches a volume. Without `disk`, inserts it into the CD-ROM drive of the same name.',
  needs: DISC_NEEDS,
  wrapper: 'addVolumeOptions',
} as const;
const REMOVE = {
  name: 'removevolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Detaches a volume. With `diskRetentionPolicy: keep`, only ejects the disc from its CD-ROM drive.',
  wrapper: 'removeVolumeOptions',
} as const;

export const addVolume = vmAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  act: (target, { body }, context) =>
    changeVolumes('virtualmachines', target, (now, gate) => planAdd(ofVm(now), body, gate, context), context),
});

export const removeVolume = vmAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  act: (target, { body }, context) =>
    changeVolumes('virtualmachines', target, (now, gate) => planRemove(ofVm(now), body, gate), context),
});

export const addVmiVolume = vmiAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  act: (target, { body }, context) =>
    changeVolumes('virtualmachineinstances', target, (now, gate) => planAdd(ofVmi(now), body, gate, context), context),
});

export const removeVmiVolume = vmiAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  act: (target, { body }, context) =>
    changeVolumes('virtualmachineinstances', target, (now, gate) => planRemove(ofVmi(now), body, gate), context),
});
