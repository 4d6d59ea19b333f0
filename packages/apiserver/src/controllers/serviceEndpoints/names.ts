/** Names the Service that a slice belongs to. */
export const SERVICE_NAME = 'kubernetes.io/service-name';
/** Names the controller that a slice belongs to. */
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** Marks the endpoints of Services without a cluster IP. */
export const HEADLESS = 'service.kubernetes.io/headless';
/** When the change happened that the last write of the endpoints follows. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
