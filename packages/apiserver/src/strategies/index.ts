import { configMapStrategy } from './core/configMap.ts';
import { endpointSliceStrategy, endpointsStrategy } from './core/endpoints.ts';
import { eventStrategy, eventsV1Strategy } from './core/event.ts';
import { limitRangeStrategy } from './core/limitRange.ts';
import { namespaceStrategy } from './core/namespace.ts';
import { nodeStrategy } from './core/node.ts';
import { persistentVolumeStrategy } from './core/persistentVolume.ts';
import { persistentVolumeClaimStrategy } from './core/persistentVolumeClaim.ts';
import { podStrategy } from './core/pod.ts';
import { resourceQuotaStrategy } from './core/resourceQuota.ts';
import { secretStrategy } from './core/secret.ts';
import { serviceStrategy } from './core/service.ts';
import { serviceAccountStrategy } from './core/serviceAccount.ts';
import { apiServiceStrategy } from './extension/apiService.ts';
import { certificateSigningRequestStrategy } from './extension/certificateSigningRequest.ts';
import { customResourceDefinitionStrategy } from './extension/customResourceDefinition.ts';
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
} from './extension/mutatingAdmissionPolicy.ts';
import {
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from './extension/validatingAdmissionPolicy.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './extension/webhookConfiguration.ts';
import { ingressStrategy } from './networking/ingress.ts';
import { ingressClassStrategy } from './networking/ingressClass.ts';
import { ipAddressStrategy } from './networking/ipAddress.ts';
import { networkPolicyStrategy } from './networking/networkPolicy.ts';
import { serviceCidrStrategy } from './networking/serviceCidr.ts';
import { leaseStrategy } from './policy/lease.ts';
import { podDisruptionBudgetStrategy } from './policy/podDisruptionBudget.ts';
import { priorityClassStrategy } from './policy/priorityClass.ts';
import { storageClassStrategy } from './policy/storageClass.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './rbac/bindings.ts';
import { clusterRoleStrategy, roleStrategy } from './rbac/roles.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource/claims.ts';
import { deviceClassStrategy, resourceSliceStrategy } from './resource/devices.ts';
import type { Strategy } from './strategy.ts';
import { controllerRevisionStrategy } from './workloads/controllerRevision.ts';
import { cronJobStrategy } from './workloads/cronJob.ts';
import { daemonSetStrategy } from './workloads/daemonSet.ts';
import { deploymentStrategy } from './workloads/deployment.ts';
import { horizontalPodAutoscalerStrategy } from './workloads/horizontalPodAutoscaler.ts';
import { jobStrategy } from './workloads/job.ts';
import { podTemplateStrategy } from './workloads/podTemplate.ts';
import { replicaSetStrategy } from './workloads/replicaSet.ts';
import { replicationControllerStrategy } from './workloads/replicationController.ts';
import { statefulSetStrategy } from './workloads/statefulSet.ts';

/** By `group/kind`. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  '/ConfigMap': configMapStrategy,
  '/Endpoints': endpointsStrategy,
  '/Event': eventStrategy,
  '/LimitRange': limitRangeStrategy,
  '/Namespace': namespaceStrategy,
  '/Node': nodeStrategy,
  '/PersistentVolume': persistentVolumeStrategy,
  '/PersistentVolumeClaim': persistentVolumeClaimStrategy,
  '/Pod': podStrategy,
  '/PodTemplate': podTemplateStrategy,
  '/ReplicationController': replicationControllerStrategy,
  '/ResourceQuota': resourceQuotaStrategy,
  '/Secret': secretStrategy,
  '/Service': serviceStrategy,
  '/ServiceAccount': serviceAccountStrategy,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': mutatingAdmissionPolicyStrategy,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': mutatingAdmissionPolicyBindingStrategy,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': mutatingWebhookConfigurationStrategy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': validatingAdmissionPolicyStrategy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': validatingAdmissionPolicyBindingStrategy,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': validatingWebhookConfigurationStrategy,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionStrategy,
  'apiregistration.k8s.io/APIService': apiServiceStrategy,
  'apps/ControllerRevision': controllerRevisionStrategy,
  'apps/DaemonSet': daemonSetStrategy,
  'apps/Deployment': deploymentStrategy,
  'apps/ReplicaSet': replicaSetStrategy,
  'apps/StatefulSet': statefulSetStrategy,
  'autoscaling/HorizontalPodAutoscaler': horizontalPodAutoscalerStrategy,
  'batch/CronJob': cronJobStrategy,
  'batch/Job': jobStrategy,
  'certificates.k8s.io/CertificateSigningRequest': certificateSigningRequestStrategy,
  'coordination.k8s.io/Lease': leaseStrategy,
  'discovery.k8s.io/EndpointSlice': endpointSliceStrategy,
  'events.k8s.io/Event': eventsV1Strategy,
  'networking.k8s.io/Ingress': ingressStrategy,
  'networking.k8s.io/IngressClass': ingressClassStrategy,
  'networking.k8s.io/IPAddress': ipAddressStrategy,
  'networking.k8s.io/ServiceCIDR': serviceCidrStrategy,
  'networking.k8s.io/NetworkPolicy': networkPolicyStrategy,
  'policy/PodDisruptionBudget': podDisruptionBudgetStrategy,
  'rbac.authorization.k8s.io/ClusterRole': clusterRoleStrategy,
  'rbac.authorization.k8s.io/ClusterRoleBinding': clusterRoleBindingStrategy,
  'rbac.authorization.k8s.io/Role': roleStrategy,
  'rbac.authorization.k8s.io/RoleBinding': roleBindingStrategy,
  'resource.k8s.io/DeviceClass': deviceClassStrategy,
  'resource.k8s.io/ResourceClaim': resourceClaimStrategy,
  'resource.k8s.io/ResourceClaimTemplate': resourceClaimTemplateStrategy,
  'resource.k8s.io/ResourceSlice': resourceSliceStrategy,
  'scheduling.k8s.io/PriorityClass': priorityClassStrategy,
  'storage.k8s.io/StorageClass': storageClassStrategy,
};

const EMPTY: Strategy = {};

/** What a built-in kind does beyond its schema; most need nothing. */
export const strategyFor = (group: string, kind: string): Strategy => STRATEGIES[`${group}/${kind}`] ?? EMPTY;

/** Custom resources: everything is in the schema, and an update must say which version it changes. */
export const customStrategy: Strategy = { unconditionalUpdate: false };
