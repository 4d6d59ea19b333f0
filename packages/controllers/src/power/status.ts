import type { Inventory, InventoryStatus, PowerOperation } from '@vireo/api/kinds/harvester/inventory.ts';
import { INVENTORY_READY, MACHINE_NOT_CONTACTABLE, POWER_OPERATIONS } from '@vireo/api/kinds/harvester/inventory.ts';
import { harvesterConditions } from '../harvester/conditions.ts';
import type { RedfishAccess } from './redfish.ts';

const REDFISH_PORT = 443;
const IPMI_PORT = 623;

/** The texts of the Secret that an Inventory names; undefined where there is none. */
export type Credentials = Readonly<Record<string, string>> | undefined;

/** How the BMC is reached, or why it cannot be. */
export function accessOf(
  { metadata, spec }: Inventory,
  credentials: Credentials,
): RedfishAccess | { readonly problem: string } {
  const { host, port, insecureTLS, authSecretRef, providerOptions } = spec.baseboardSpec.connection;
  const { namespace } = metadata;
  const secret = `Secret ${authSecretRef.namespace ?? namespace}/${authSecretRef.name}`;
  if (authSecretRef.namespace !== undefined && authSecretRef.namespace !== namespace)
    return { problem: `${secret} is not in the namespace of the Inventory` };
  const redfishPort = providerOptions?.redfish?.port ?? port ?? REDFISH_PORT;
  if (redfishPort === IPMI_PORT)
    return {
      problem: `port ${IPMI_PORT} is that of IPMI, which Vireo does not speak: set the port of Redfish, such as ${REDFISH_PORT}`,
    };
  if (!credentials) return { problem: `${secret} does not exist` };
  const { username, password, 'ca.crt': ca } = credentials;
  if (username === undefined || password === undefined)
    return { problem: `${secret} has no keys username and password` };
  return {
    host,
    port: redfishPort,
    username,
    password,
    ca,
    isInsecure: insecureTLS === true,
    systemName: providerOptions?.redfish?.systemName,
  };
}

/** What is to be done about the operation that an Inventory asks for. */
export type PowerDecision =
  | { readonly action: 'none' }
  | { readonly action: 'begin'; readonly operation: PowerOperation; readonly job: string }
  /** It was begun, and whoever began it is gone: nobody knows how far it came. */
  | { readonly action: 'abandon'; readonly operation: string; readonly job: string }
  | { readonly action: 'refuse'; readonly operation: string; readonly job: string };

/**
 * An operation is carried out once at most, for a second reboot of a host that is coming up would be worse than none:
 * its request is taken back before it is carried out.
 */
export function decidePower({ metadata, spec, status }: Inventory): PowerDecision {
  const { powerActionRequested: operation } = spec;
  if (operation) {
    const job = `${metadata.name}-${operation}-${metadata.generation}`;
    return isOperation(operation) ? { action: 'begin', operation, job } : { action: 'refuse', operation, job };
  }
  const { actionStatus, lastActionRequested = '', lastJobName = '' } = status?.powerAction ?? {};
  if (actionStatus !== RUNNING) return { action: 'none' };
  return { action: 'abandon', operation: lastActionRequested, job: lastJobName };
}

const isOperation = (text: string): text is PowerOperation => (POWER_OPERATIONS as readonly string[]).includes(text);

export const RUNNING = 'running';

/** How an operation has gone so far. */
export interface Outcome {
  readonly operation: string;
  readonly job: string;
  readonly actionStatus: typeof RUNNING | 'complete' | 'failed';
  readonly message?: string;
}

/** The status with how an operation has gone. */
export function withOutcome(status: InventoryStatus = {}, outcome: Outcome, now: Date): InventoryStatus {
  const { operation, job, actionStatus, message } = outcome;
  const conditions = [
    { type: 'bmcJobCompleted', status: actionStatus === 'complete' ? 'True' : 'False', reason: job },
    { type: 'bmcJobError', status: actionStatus === 'failed' ? 'True' : 'False', reason: job, message },
  ];
  return {
    ...status,
    powerAction: { actionStatus, lastActionRequested: operation, lastJobName: job },
    conditions: harvesterConditions(status.conditions, conditions, now),
  };
}

/** The status with what the BMC has told, or why it could not be asked. */
export function withContact(
  { machinePowerState: _, status: __, ...before }: InventoryStatus = {},
  contact: { readonly powerState: string } | { readonly problem: string },
  now: Date,
): InventoryStatus {
  const problem = 'problem' in contact ? contact.problem : undefined;
  const condition = {
    type: MACHINE_NOT_CONTACTABLE,
    status: problem === undefined ? 'False' : 'True',
    reason: problem === undefined ? 'Contacted' : 'NotContactable',
    message: problem,
  };
  return {
    ...before,
    ...('powerState' in contact && { status: INVENTORY_READY, machinePowerState: contact.powerState.toLowerCase() }),
    conditions: harvesterConditions(before.conditions, [condition], now),
  };
}
