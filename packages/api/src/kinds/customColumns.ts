/** Columns that several custom resources show. Each names a path, so that any Kubernetes server can fill it. */
import type { Column, ScaleSubresource } from '../kind.ts';

export const ageDate: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long ago the object was made.',
};

export const phaseColumn: Column = {
  name: 'Phase',
  type: 'string',
  jsonPath: '.status.phase',
  description: 'How far it has come.',
};

export const readyToUseColumn: Column = {
  name: 'ReadyToUse',
  type: 'boolean',
  jsonPath: '.status.readyToUse',
  description: 'Whether it can be restored.',
};

export const creationTimeColumn: Column = {
  name: 'CreationTime',
  type: 'date',
  jsonPath: '.status.creationTime',
  description: 'The moment that it holds.',
};

export const errorColumn: Column = {
  name: 'Error',
  type: 'string',
  jsonPath: '.status.error.message',
  description: 'The last error that occurred.',
};

export const sourceColumns: readonly Column[] = [
  { name: 'SourceKind', type: 'string', jsonPath: '.spec.source.kind', description: 'Kind of the source.' },
  { name: 'SourceName', type: 'string', jsonPath: '.spec.source.name', description: 'Name of the source.' },
];

/** The status of one condition. */
export const conditionColumn = (name: string, condition: string, description: string, priority?: number): Column => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=='${condition}')].status`,
  description,
  ...(priority !== undefined && { priority }),
});

/** The columns of a number of things: wanted, there, ready. */
export const replicaColumns = (things: string): readonly Column[] => [
  { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: `Number of ${things} that are wanted.` },
  { name: 'Current', type: 'integer', jsonPath: '.status.replicas', description: `Number of ${things} that exist.` },
  {
    name: 'Ready',
    type: 'integer',
    jsonPath: '.status.readyReplicas',
    description: `Number of ${things} that are ready.`,
  },
  ageDate,
];

export const replicaScale: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
};
