/** Something that this page has asked for. */
export interface Task {
  readonly id: number;
  /** Verb and object: `Stop web`. */
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed';
  /** How far it is, or why it failed. */
  readonly detail: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /** Where its object can be seen, as an address of the page. */
  readonly href: string | undefined;
  readonly canRetry: boolean;
}

/** Says how far the work is: `3 of 50`. */
export type Report = (detail: string) => void;
export type Work<T> = (report: Report) => Promise<T>;

export interface TaskOptions {
  readonly href?: string;
  /** False for work that cannot be done a second time, such as an upload whose file is gone. */
  readonly canRetry?: boolean;
}

/** More that have ended are forgotten, oldest first. */
const MOST_ENDED = 50;

/** What was asked for, newest first. Work goes on when the page that began it is left. */
export class TaskStore {
  readonly #work = new Map<number, Work<unknown>>();
  readonly #listeners = new Set<() => void>();
  #tasks: readonly Task[] = [];
  #nextId = 1;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly Task[] => this.#tasks;

  /** Does the work and shows it. Settles as the work does, so that a form can keep its contents on failure. */
  readonly run = <T>(title: string, work: Work<T>, { href, canRetry = true }: TaskOptions = {}): Promise<T> => {
    const id = this.#nextId++;
    this.#work.set(id, work);
    const task: Task = {
      id,
      title,
      state: 'running',
      detail: undefined,
      startedAtMs: Date.now(),
      endedAtMs: undefined,
      href,
      canRetry,
    };
    this.#set([task, ...this.#tasks]);
    return this.#perform(id, work);
  };

  /** Does failed work again, in its old place. */
  readonly retry = (id: number): void => {
    const work = this.#work.get(id);
    const task = this.#tasks.find((each) => each.id === id);
    if (!work || task?.state !== 'failed' || !task.canRetry) return;
    this.#change(id, { state: 'running', detail: undefined, startedAtMs: Date.now(), endedAtMs: undefined });
    this.#perform(id, work).catch(() => {
      // The task says so.
    });
  };

  readonly clearEnded = (): void => this.#set(this.#tasks.filter(({ state }) => state === 'running'));

  async #perform<T>(id: number, work: Work<T>): Promise<T> {
    try {
      const result = await work((detail) => this.#change(id, { detail }));
      this.#change(id, { state: 'done', endedAtMs: Date.now() });
      this.#work.delete(id);
      return result;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.#change(id, { state: 'failed', detail, endedAtMs: Date.now() });
      throw error;
    }
  }

  #change(id: number, change: Partial<Task>): void {
    this.#set(this.#tasks.map((task) => (task.id === id ? { ...task, ...change } : task)));
  }

  #set(tasks: readonly Task[]): void {
    const ended = tasks.filter(({ state }) => state !== 'running');
    const forgotten = new Set(ended.slice(MOST_ENDED).map(({ id }) => id));
    this.#tasks = tasks.filter(({ id }) => !forgotten.has(id));
    const known = new Set(this.#tasks.map(({ id }) => id));
    for (const id of this.#work.keys()) if (!known.has(id)) this.#work.delete(id);
    for (const listener of this.#listeners) listener();
  }
}
