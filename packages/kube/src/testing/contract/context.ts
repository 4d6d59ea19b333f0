import { ApiError } from '@vireo/api';
import { expect } from 'vitest';
import type { Client } from '../../client.ts';
import type { ResourceClient } from '../../resourceClient.ts';
import type { Transport } from '../../transport.ts';
import type { ConfigMap } from '../kinds.ts';

/** A server to run the contract against. */
export interface ContractSetup {
  readonly transport: Transport;
  cleanup(): Promise<void>;
  /** Makes the server forget its history up to now, where that can be asked of it. */
  forgetHistory?(): Promise<void>;
}

/** What the cases work with; filled in before each of them. */
export interface ContractContext {
  readonly server: ContractSetup;
  readonly client: Client;
  readonly maps: ResourceClient<ConfigMap>;
  /** Each case has a namespace of its own. */
  readonly namespace: string;
  readonly at: { readonly namespace: string };
  /** A ConfigMap in that namespace, by default with the label `contract=yes`. */
  make(name: string, data?: Record<string, string>, labels?: Record<string, string>): ConfigMap;
}

/** The ApiError that a call must end in. */
export async function refused(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}
