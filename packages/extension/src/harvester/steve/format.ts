import { isObject } from '@vireo/api/json.ts';
import { type ApiRequest, type ApiResponse, bytesResponse } from '@vireo/kube';
import { stringify } from 'yaml';

const TYPES = { jsonl: 'application/jsonl', yaml: 'application/yaml' } as const;

/** An answer in the format that `_format` or the header Accept asks for: YAML, or a line of JSON for each object. */
export function formatted(
  response: ApiResponse,
  { query, headers }: Pick<ApiRequest, 'query' | 'headers'>,
): ApiResponse {
  const format = formatOf(query.get('_format'), headers.accept ?? '');
  if (format === undefined || response.type !== 'object') return response;
  const body = response.object();
  const each = isObject(body) && Array.isArray(body.data) ? body.data : [body];
  const text = format === 'yaml' ? stringify(body) : each.map((one) => `${JSON.stringify(one)}\n`).join('');
  return bytesResponse(Buffer.from(text), TYPES[format], response.status);
}

function formatOf(asked: string | null, accept: string): keyof typeof TYPES | undefined {
  if (asked) return asked === 'yaml' || asked === 'jsonl' ? asked : undefined;
  const [first = ''] = accept.split(/[,;]/);
  if (/^application\/(x-)?yaml$/.test(first)) return 'yaml';
  return first === TYPES.jsonl ? 'jsonl' : undefined;
}
