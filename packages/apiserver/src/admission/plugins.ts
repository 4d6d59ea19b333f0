import type { Authorizer } from '../rbac/authorize.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin } from './admission.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificates.ts';
import { limitRange } from './limitRange.ts';
import { namespaceLifecycle } from './namespaceLifecycle.ts';
import { nodeRestriction } from './nodeRestriction/nodeRestriction.ts';
import { defaultTolerationSeconds, taintNewNodes } from './podDefaults.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './resourceQuota.ts';
import { serviceAccount } from './serviceAccount.ts';
import { storageClassDefault } from './storageClassDefault.ts';
import { storageObjectInUse } from './storageObjectInUse.ts';

/** The built-in plug-ins in Kubernetes' order; quota counts last, when nothing else can refuse any more. */
export const builtinPlugins = (lookup: Lookup, authorizer: Authorizer): readonly AdmissionPlugin[] => [
  namespaceLifecycle(lookup),
  limitRange(lookup),
  serviceAccount(lookup),
  nodeRestriction(lookup, authorizer),
  taintNewNodes(),
  priority(lookup),
  defaultTolerationSeconds(),
  storageClassDefault(lookup),
  storageObjectInUse(),
  certificateApproval(authorizer),
  certificateSigning(authorizer),
  certificateSubjectRestriction(),
  resourceQuota(lookup),
];
