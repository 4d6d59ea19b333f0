export type { ControllerContext, Recorder } from '@vireo/kube';
