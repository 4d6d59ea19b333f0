import type { Kind } from '../kind.ts';
import { MutatingAdmissionPolicy } from './admissionregistration/mutatingAdmissionPolicy.ts';
import { MutatingAdmissionPolicyBinding } from './admissionregistration/mutatingAdmissionPolicyBinding.ts';
import { MutatingWebhookConfiguration } from './admissionregistration/mutatingWebhookConfiguration.ts';
import { ValidatingAdmissionPolicy } from './admissionregistration/validatingAdmissionPolicy.ts';
import { ValidatingAdmissionPolicyBinding } from './admissionregistration/validatingAdmissionPolicyBinding.ts';
import { ValidatingWebhookConfiguration } from './admissionregistration/validatingWebhookConfiguration.ts';
import { CustomResourceDefinition } from './apiextensions/customResourceDefinition.ts';
import { APIService } from './apiregistration/apiService.ts';
import { ControllerRevision } from './apps/controllerRevision.ts';
import { DaemonSet } from './apps/daemonSet.ts';
import { Deployment } from './apps/deployment.ts';
import { ReplicaSet } from './apps/replicaSet.ts';
import { StatefulSet } from './apps/statefulSet.ts';
import { SelfSubjectReview } from './authentication/selfSubjectReview.ts';
import { TokenReview } from './authentication/tokenReview.ts';
import { LocalSubjectAccessReview } from './authorization/localSubjectAccessReview.ts';
import { SelfSubjectAccessReview } from './authorization/selfSubjectAccessReview.ts';
import { SelfSubjectRulesReview } from './authorization/selfSubjectRulesReview.ts';
import { SubjectAccessReview } from './authorization/subjectAccessReview.ts';
import { HorizontalPodAutoscaler } from './autoscaling/horizontalPodAutoscaler.ts';
import { HorizontalPodAutoscalerV1 } from './autoscaling/horizontalPodAutoscalerV1.ts';
import { CronJob } from './batch/cronJob.ts';
import { Job } from './batch/job.ts';
import { CertificateSigningRequest } from './certificates/certificateSigningRequest.ts';
import { Lease } from './coordination/lease.ts';
import { ConfigMap } from './core/configMap.ts';
import { Endpoints } from './core/endpoints.ts';
import { Event } from './core/event.ts';
import { LimitRange } from './core/limitRange.ts';
import { Namespace } from './core/namespace.ts';
import { Node } from './core/node.ts';
import { PersistentVolume } from './core/persistentVolume.ts';
import { PersistentVolumeClaim } from './core/persistentVolumeClaim.ts';
import { Pod } from './core/pod.ts';
import { PodTemplate } from './core/podTemplateKind.ts';
import { ReplicationController } from './core/replicationController.ts';
import { ResourceQuota } from './core/resourceQuota.ts';
import { Secret } from './core/secret.ts';
import { Service } from './core/service.ts';
import { ServiceAccount } from './core/serviceAccount.ts';
import { EndpointSlice } from './discovery/endpointSlice.ts';
import { EventsV1Event } from './events/event.ts';
import { Ingress } from './networking/ingress.ts';
import { IngressClass } from './networking/ingressClass.ts';
import { IPAddress } from './networking/ipAddress.ts';
import { NetworkPolicy } from './networking/networkPolicy.ts';
import { ServiceCIDR } from './networking/serviceCIDR.ts';
import { PodDisruptionBudget } from './policy/podDisruptionBudget.ts';
import { ClusterRole } from './rbac/clusterRole.ts';
import { ClusterRoleBinding } from './rbac/clusterRoleBinding.ts';
import { Role } from './rbac/role.ts';
import { RoleBinding } from './rbac/roleBinding.ts';
import { DeviceClass } from './resource/deviceClass.ts';
import { ResourceClaim } from './resource/resourceClaim.ts';
import { ResourceClaimTemplate } from './resource/resourceClaimTemplate.ts';
import { ResourceSlice } from './resource/resourceSlice.ts';
import { PriorityClass } from './scheduling/priorityClass.ts';
import { CSIDriver } from './storage/csiDriver.ts';
import { CSINode } from './storage/csiNode.ts';
import { StorageClass } from './storage/storageClass.ts';
import { VolumeAttachment } from './storage/volumeAttachment.ts';

/** Every built-in kind of the server, one entry a version. */
export const builtinKinds: readonly Kind[] = [
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  CustomResourceDefinition,
  APIService,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  SelfSubjectReview,
  TokenReview,
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  CronJob,
  Job,
  CertificateSigningRequest,
  Lease,
  EndpointSlice,
  EventsV1Event,
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
  PodDisruptionBudget,
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  PriorityClass,
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
];
