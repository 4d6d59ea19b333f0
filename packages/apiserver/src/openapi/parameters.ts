/** One parameter of an operation, in the path or in the query. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly required?: true;
}

const query = (name: string, description: string, type: Parameter['type'] = 'string'): Parameter => ({
  name,
  in: 'query',
  description,
  type,
});

/** A part of the path. */
export const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  type: 'string',
  required: true,
});

export const PRETTY = query('pretty', 'Ignored; the output is never indented.');

const DRY_RUN = query('dryRun', 'All: run every check without storing anything.');
const FORCE = query('force', 'Whether to take fields from other managers. Only for server-side apply.', 'boolean');

/** Of everything that creates or changes an object. */
export const WRITE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query('fieldManager', 'Name of the client that makes the change, for managedFields.'),
  query('fieldValidation', 'What to do with unknown and duplicate fields: Ignore, Warn or Strict.'),
];

export const PATCH_PARAMETERS: readonly Parameter[] = [...WRITE_PARAMETERS, FORCE];

const SELECTION: readonly Parameter[] = [
  query('continue', 'Token of the next page.'),
  query('fieldSelector', 'Select objects by their fields.'),
  query('labelSelector', 'Select objects by their labels.'),
  query('limit', 'Maximum number of items in one response.', 'integer'),
  query('resourceVersion', 'Constraint on the resource version of the response, or where a watch starts.'),
  query('resourceVersionMatch', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'Start the watch with the current state.', 'boolean'),
  query('timeoutSeconds', 'Timeout of the watch in seconds.', 'integer'),
];

/** Of reading one object; only said of custom resources, as in Kubernetes. */
export const GET_PARAMETERS: readonly Parameter[] = SELECTION.filter(({ name }) => name === 'resourceVersion');

/** Of lists and watches. */
export const LIST_PARAMETERS: readonly Parameter[] = [
  ...SELECTION,
  query('allowWatchBookmarks', 'Request bookmark events.', 'boolean'),
  query('watch', 'Watch for changes instead of listing.', 'boolean'),
];

export const DELETE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'Seconds that the object has to terminate.', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'Ignored: objects can always be read.', 'boolean'),
  query('orphanDependents', 'Deprecated: use propagationPolicy.', 'boolean'),
  query('propagationPolicy', 'What happens to dependents: Orphan, Background or Foreground.'),
];

export const DELETE_COLLECTION_PARAMETERS: readonly Parameter[] = [...DELETE_PARAMETERS, ...SELECTION];

export const LOG_PARAMETERS: readonly Parameter[] = [
  query('container', 'The container whose log is read.'),
  query('follow', 'Whether to wait for more.', 'boolean'),
  query('limitBytes', 'Maximum size of the response.', 'integer'),
  query('previous', 'Whether to read the log of the run before.', 'boolean'),
  query('sinceSeconds', 'Age of the oldest lines in seconds.', 'integer'),
  query('tailLines', 'Number of lines from the end.', 'integer'),
  query('timestamps', 'Whether each line begins with its time.', 'boolean'),
];

const STREAMS: readonly Parameter[] = [
  query('container', 'The container to connect to.'),
  query('stderr', 'Whether to connect the standard error.', 'boolean'),
  query('stdin', 'Whether to connect the standard input.', 'boolean'),
  query('stdout', 'Whether to connect the standard output.', 'boolean'),
  query('tty', 'Whether to use a terminal.', 'boolean'),
];

/** What a connection is told, by the kind of its options. */
export const CONNECT_PARAMETERS: Readonly<Record<string, readonly Parameter[]>> = {
  NodeProxyOptions: [query('path', 'The path of the request to the node.')],
  PodAttachOptions: STREAMS,
  PodExecOptions: [query('command', 'The command to run, one parameter for each word.'), ...STREAMS],
  PodPortForwardOptions: [query('ports', 'The ports to forward.', 'integer')],
};
