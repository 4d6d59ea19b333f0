import type { Answer, Case, Step } from './case.ts';

/** A request as one line, with its body. */
export function formatStep({ method, path, query, contentType, userAgent, body, edit }: Step): string {
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const type = contentType && contentType !== 'application/json' ? ` [${contentType.replace('application/', '')}]` : '';
  const agent = userAgent !== undefined ? ` (user-agent ${JSON.stringify(userAgent)})` : '';
  const text = edit
    ? ` live + ${compact(edit)}`
    : body === undefined
      ? ''
      : ` ${typeof body === 'string' ? body : compact(body)}`;
  return `${method} ${path}${search}${type}${agent}${text}`;
}

/** A case with what a server said to each step, as Markdown. */
export function formatTranscript({ name, steps }: Case, answers: readonly Answer[]): string {
  const lines = steps.map((step, index) => {
    const answer = answers[index];
    return `→ ${formatStep(step)}\n${answer ? formatAnswer(answer) : '← (not sent)'}`;
  });
  return `### ${name}\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`;
}

function formatAnswer({ code, warnings, body }: Answer): string {
  const lines = [`← ${code}`, ...warnings.map((warning) => `  warning: ${warning}`)];
  const status = body as { kind?: string; reason?: string; message?: string; details?: unknown };
  if (status.kind === 'Status') {
    lines[0] += ` ${status.reason ?? '(no reason)'}: ${status.message}`;
    if (status.details) lines.push(`  details: ${compact(status.details)}`);
    return lines.join('\n');
  }
  // Of a CRD that was written, nothing but that it was is of interest.
  if (status.kind === 'CustomResourceDefinition' && code === 201) return lines.join('\n');
  const { metadata, ...rest } = (typeof body === 'object' && body ? body : { text: body }) as {
    metadata?: Record<string, unknown>;
  };
  const { managedFields, ...others } = metadata ?? {};
  lines.push(`  object: ${compact({ metadata: others, ...rest })}`);
  if (Array.isArray(managedFields)) for (const entry of managedFields) lines.push(`  managed: ${compactEntry(entry)}`);
  return lines.join('\n');
}

function compactEntry({
  manager,
  operation,
  apiVersion,
  time,
  fieldsType,
  fieldsV1,
  subresource,
  ...rest
}: Record<string, unknown>): string {
  const sub = subresource ? `/${subresource}` : '';
  const more = [
    time ? '' : 'no time',
    fieldsType === 'FieldsV1' ? '' : `fieldsType ${fieldsType}`,
    Object.keys(rest).join(),
  ].filter(Boolean);
  return `${operation} ${manager}${sub} ${apiVersion}${more.length > 0 ? ` (${more.join(', ')})` : ''} ${compact(fieldsV1)}`;
}

const compact = (value: unknown): string => JSON.stringify(value);
