import type { KubeObject } from '@vireo/api';
import type { WebhookConversion } from './conversion/webhookConverter.ts';

/** The parts of a CustomResourceDefinition that the server works with. */
export interface Crd extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: CrdNames;
    versions: CrdVersion[];
    preserveUnknownFields?: boolean;
    conversion?: { strategy?: string; webhook?: WebhookConversion };
  };
  status?: CrdStatus;
}

export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Record<string, unknown> };
  subresources?: {
    status?: Record<string, never>;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: {
    name: string;
    type: string;
    format?: string;
    description?: string;
    priority?: number;
    jsonPath: string;
  }[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdStatus {
  acceptedNames?: CrdNames;
  storedVersions?: string[];
  conditions?: CrdCondition[];
}

export interface CrdCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
