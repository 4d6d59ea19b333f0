import http from 'node:http';
import { ApiError, unavailable } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type ApiResponse, bytesResponse, objectResponse } from '@vireo/kube';
import { dialNodeOf, type NodeConnections, nameOf, nodePath } from './nodeConnections.ts';

interface NodeRequest {
  readonly method: 'GET' | 'PUT';
  /** Below the VMI. */
  readonly path: string;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** Longer than the slowest thing that a guest agent is waited for. */
const TIMEOUT_MS = 60_000;

/** Asks the node of a VMI. Its refusals are thrown as they came. */
export async function askNode(
  nodes: NodeConnections,
  vmi: VirtualMachineInstance,
  { method, path, body, signal }: NodeRequest,
): Promise<ApiResponse> {
  const dial = dialNodeOf(nodes, vmi);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request({
    createConnection: dial,
    host: 'node',
    method,
    path: nodePath(vmi, path),
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  request.once('response', resolve);
  request.once('error', reject);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  try {
    return await readResponse(await promise);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw unavailable(`node "${vmi.status?.nodeName}" of ${nameOf(vmi)} does not respond: ${(error as Error).message}`);
  }
}

/** A response of a node; what it refuses is thrown. */
export async function readResponse(response: http.IncomingMessage): Promise<ApiResponse> {
  const bytes = Buffer.concat(await response.toArray());
  const contentType = response.headers['content-type'] ?? 'application/octet-stream';
  const status = response.statusCode ?? 500;
  const isJson = contentType.startsWith('application/json') && bytes.length > 0;
  const value: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
  if (status >= 400) throw ApiError.from(status, value ?? bytes.toString());
  return isJson ? objectResponse(value, status) : bytesResponse(bytes, contentType, status);
}
