import { defineKind, objectFields, schema } from '@vireo/api';
import { int, optional, required } from '@vireo/api/kinds/customResource.ts';

const Spec = schema.struct('io.example.v1.ScratchDiskSpec', 'Desired state of the disk.', {
  size: required(schema.string, 'Size of the claim, such as 1Gi.'),
  ttlSeconds: required(int, 'Seconds from the creation of the disk until the disk and its claim are deleted.'),
});
const Status = schema.struct('io.example.v1.ScratchDiskStatus', 'Observed state of the disk.', {
  phase: optional(schema.string, 'Phase of the claim: Pending, Bound or Lost.'),
});
const Schema = schema.struct('io.example.v1.ScratchDisk', 'A claim that is deleted after a while.', {
  ...objectFields,
  spec: required(Spec, 'Desired state of the ScratchDisk.'),
  status: optional(Status, 'Observed state of the ScratchDisk. The controller writes it.'),
});

const names = { group: 'example.io', version: 'v1', kind: 'ScratchDisk', plural: 'scratchdisks', namespaced: true };
export interface ScratchDisk extends schema.Infer<typeof Schema> {}
export const ScratchDisk = defineKind<ScratchDisk>({ ...names, schema: Schema, columns: [] });
