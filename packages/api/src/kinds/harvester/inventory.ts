import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, list, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';

/** Where the Inventories of nodes are, each by the name of its node: nobody else's are acted on. */
export const INVENTORY_NAMESPACE = 'harvester-system';
/** `status.status` of an Inventory whose baseboard management controller answers. */
export const INVENTORY_READY = 'inventoryNodeReady';
/** The condition that is True while the baseboard management controller does not answer as it should. */
export const MACHINE_NOT_CONTACTABLE = 'machineNotContactable';

/** What the power of a host can be asked for. */
export const POWER_OPERATIONS = ['shutdown', 'poweron', 'reboot'] as const;
export type PowerOperation = (typeof POWER_OPERATIONS)[number];

const meta = 'io.harvesterhci.metal.v1alpha1';

export const SecretReference = struct(`${meta}.SecretReference`, 'Refers to a Secret.', {
  name: required(string, 'Name of the Secret.'),
  namespace: optional(string, 'Namespace of the Secret. Only that of the Inventory is read.'),
});
export interface SecretReference extends Infer<typeof SecretReference> {}

export const RedfishOptions = struct(`${meta}.RedfishOptions`, 'Options of Redfish.', {
  port: optional(int32, 'Port of the Redfish service. Defaults to that of the connection.'),
  systemName: optional(string, 'Id of the computer system. Defaults to the only one that the service has.'),
});
export interface RedfishOptions extends Infer<typeof RedfishOptions> {}

export const ProviderOptions = struct(`${meta}.ProviderOptions`, 'Options of the protocols.', {
  redfish: optional(RedfishOptions, 'Options of Redfish.'),
});
export interface ProviderOptions extends Infer<typeof ProviderOptions> {}

export const BaseboardConnection = struct(
  `${meta}.Connection`,
  'How the baseboard management controller (BMC) is reached.',
  {
    authSecretRef: required(
      SecretReference,
      'Secret with username and password, and optionally ca.crt with the certificate authority of the BMC.',
    ),
    host: required(string, 'Name or address of the BMC.'),
    insecureTLS: optional(boolean, 'Whether to accept any certificate.'),
    port: optional(
      int32,
      'Port of the Redfish service. Defaults to 443. Port 623 is that of IPMI, which is not spoken.',
    ),
    providerOptions: optional(ProviderOptions, 'Options of the protocols.'),
  },
);
export interface BaseboardConnection extends Infer<typeof BaseboardConnection> {}

export const BaseboardSpec = struct(`${meta}.MachineSpec`, 'The baseboard management controller of the host.', {
  connection: required(BaseboardConnection, 'How it is reached.'),
});
export interface BaseboardSpec extends Infer<typeof BaseboardSpec> {}

export const InventoryEvents = struct(`${meta}.Events`, 'Events of the hardware. They have no effect.', {
  enabled: optional(boolean, 'Whether events are collected.'),
  pollingInterval: optional(string, 'How often events are collected.'),
});
export interface InventoryEvents extends Infer<typeof InventoryEvents> {}

export const InventorySpec = struct(`${meta}.InventorySpec`, 'How the power of a host is controlled.', {
  baseboardSpec: required(BaseboardSpec, 'The baseboard management controller of the host.'),
  events: optional(InventoryEvents, 'Events of the hardware. They have no effect.'),
  managementInterfaceMacAddress: optional(string, 'MAC address that the host boots from. It has no effect.'),
  powerActionRequested: optional(
    string,
    'Operation that is asked for: shutdown, poweron or reboot. Removed when done.',
  ),
  primaryDisk: optional(string, 'Disk to install to. It has no effect.'),
});
export interface InventorySpec extends Infer<typeof InventorySpec> {}

export const PowerActionDetails = struct(`${meta}.PowerActionDetails`, 'The last power operation.', {
  actionStatus: optional(string, 'How it has gone: running, complete or failed.'),
  lastActionRequested: optional(string, 'Which it was.'),
  lastJobName: optional(string, 'Name of the attempt.'),
});
export interface PowerActionDetails extends Infer<typeof PowerActionDetails> {}

export const InventoryStatus = struct(`${meta}.InventoryStatus`, 'Observed state of an Inventory.', {
  conditions: optional(
    list(HarvesterCondition, 'atomic'),
    'Conditions: machineNotContactable says why the BMC cannot be used; bmcJobCompleted and bmcJobError how the last operation went.',
  ),
  machinePowerState: optional(string, 'Power state that the BMC reports, such as on or off.'),
  powerAction: optional(PowerActionDetails, 'The last power operation.'),
  status: optional(string, 'The state of the BMC: inventoryNodeReady while it answers.'),
});
export interface InventoryStatus extends Infer<typeof InventoryStatus> {}

export const InventorySchema = struct(
  `${meta}.Inventory`,
  'The baseboard management controller (BMC) of a node. It has the name of the node, and is in the namespace harvester-system.',
  {
    ...objectFields,
    spec: required(InventorySpec, 'Desired state of the Inventory.'),
    status: optional(InventoryStatus, 'Observed state of the Inventory. The system writes it.'),
  },
);
export interface Inventory extends Infer<typeof InventorySchema> {}

export const Inventory = defineKind<Inventory>({
  group: 'metal.harvesterhci.io',
  version: 'v1alpha1',
  kind: 'Inventory',
  plural: 'inventories',
  namespaced: true,
  schema: InventorySchema,
  columns: [
    {
      name: 'InventoryStatus',
      type: 'string',
      jsonPath: '.status.status',
      description: 'The state of the BMC: inventoryNodeReady while it answers.',
    },
    {
      name: 'Power',
      type: 'string',
      jsonPath: '.status.machinePowerState',
      description: 'Power state that the BMC reports.',
    },
    ageDate,
  ],
});
