/** One request, as data, so that it can be sent to any server, shown, and left out. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{group}` stands for the API group that a run of the case has to itself. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly userAgent?: string;
  /**
   * Sent as JSON unless it is a text. `{group}`, `{uid}` and `{resourceVersion}` (as last answered) and `{uid of NAME}` are
   * filled in.
   */
  readonly body?: unknown;
  /** Instead of a body: the object as the server has it at this path, with this merge patch. */
  readonly edit?: Readonly<Record<string, unknown>>;
}

/** What is sent to both servers, in order, and about what. */
export interface Case {
  readonly name: string;
  readonly area: Area;
  readonly steps: readonly Step[];
}

export const AREAS = ['crd', 'objects', 'apply', 'cel'] as const;
/** The part of the API that a case is about. */
export type Area = (typeof AREAS)[number];

/** What a server said to a step. */
export interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  /** Parsed where it is JSON. */
  readonly body: unknown;
}
