import type { FieldError, Kind, KubeObject, Persisted, UnknownObject } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstancePreset } from '@vireo/api/kinds/kubevirt/virtualMachineInstancePreset.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import type { Client, UserInfo } from '@vireo/kube';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write that is about to happen. */
export interface Admission<T extends KubeObject = UnknownObject> {
  readonly operation: Operation;
  /** What is written; on DELETE what is deleted. */
  readonly object: T;
  /** What is there so far; absent on CREATE. */
  readonly oldObject?: T;
  /** Of the object that is asked about; the name is empty while it is still to be generated. */
  readonly name?: string;
  readonly namespace?: string;
  readonly user: UserInfo;
  /** Nothing will be stored. */
  readonly isDryRun?: boolean;
  /** What was asked of a DELETE. */
  readonly deletion?: {
    readonly gracePeriodSeconds?: number;
    /** What the object controls is to outlive it. */
    readonly isOrphaning: boolean;
  };
}

/** What rules may look at beyond the write itself. */
export interface AdmissionContext {
  /** The settings of the installation. */
  readonly config: () => Promise<ClusterConfig>;
  readonly client: Client;
  /** Settings for VMIs with certain labels; none where nobody watches them. */
  readonly presets?: (namespace: string) => Promise<readonly Persisted<VirtualMachineInstancePreset>[]>;
  /** The VMs that have a card with a MAC address in their template, in small letters; unknown where nobody watches. */
  readonly macUsers?: (mac: string) => Promise<readonly Persisted<VirtualMachine>[]>;
}

export interface ValidationResult {
  /** What is wrong; `text` is the whole message of a cause. */
  readonly errors: readonly FieldError[];
  /** For whoever writes, whatever comes of it. */
  readonly warnings?: readonly string[];
}

interface RuleBase {
  /** Name of the webhook, as refusals quote it. */
  readonly webhook: string;
  readonly path: string;
  readonly kinds: readonly Kind[];
  readonly operations: readonly Operation[];
  /** Whether it is about the subresource `status` of those kinds too. */
  readonly withStatus?: boolean;
  /** What is sent to a subresource of those kinds, and is asked about in place of their objects. */
  readonly subresource?: { readonly name: string; readonly kind: Pick<Kind, 'group' | 'kind'> };
  /** In CEL: whom or what the rule is about. The server asks about nothing else; servers before 1.28 do not know them. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Default: what nobody could check is refused. */
  readonly failurePolicy?: 'Ignore';
  /** Default: none, whoever asks. */
  readonly sideEffects?: 'NoneOnDryRun';
}

/**
 * One webhook. The configurations that are installed and what answers them both come from the table of these.
 * Functions never change what they are given.
 */
export interface MutatingRule<T extends KubeObject = UnknownObject> extends RuleBase {
  readonly type: 'mutating';
  mutate(admission: Admission<T>, context: AdmissionContext): Promise<T>;
}

export interface ValidatingRule<T extends KubeObject = UnknownObject> extends RuleBase {
  readonly type: 'validating';
  /** Asked before anybody checks the object's shape: for what is wrong whatever the object says. */
  readonly isEarly?: true;
  validate(admission: Admission<T>, context: AdmissionContext): Promise<ValidationResult>;
  /** Whether an update must obey this rule even where it leaves the fields that violate it unchanged. */
  skipsRatcheting?(admission: Admission<T>): boolean;
}

/** Each rule gets objects of its own kinds only. */
export type AdmissionRule = MutatingRule<KubeObject> | ValidatingRule<KubeObject>;

export const ALLOWED: ValidationResult = { errors: [] };
