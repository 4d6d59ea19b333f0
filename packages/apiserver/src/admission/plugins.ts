import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin } from './admission.ts';
import { limitRange } from './limitRange.ts';
import { namespaceLifecycle } from './namespaceLifecycle.ts';
import { defaultTolerationSeconds, taintNewNodes } from './podDefaults.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './resourceQuota.ts';
import { serviceAccount } from './serviceAccount.ts';
import { storageClassDefault } from './storageClassDefault.ts';
import { storageObjectInUse } from './storageObjectInUse.ts';

/** The built-in plug-ins in Kubernetes' order; quota counts last, when nothing else can refuse any more. */
export const builtinPlugins = (lookup: Lookup): readonly AdmissionPlugin[] => [
  namespaceLifecycle(lookup),
  limitRange(lookup),
  serviceAccount(lookup),
  taintNewNodes(),
  priority(lookup),
  defaultTolerationSeconds(),
  storageClassDefault(lookup),
  storageObjectInUse(),
  resourceQuota(lookup),
];
