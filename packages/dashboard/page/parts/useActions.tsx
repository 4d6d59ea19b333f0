import { type ReactNode, useCallback, useState } from 'react';
import { Refused } from '../data/refused.ts';
import { type Action, concerned, requestFor, WORDS } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { AskDialog } from './AskDialog.tsx';
import { useNotify } from './Notices.tsx';
import { useSession } from './session.tsx';

/** What was asked of a machine, until its state changes. */
export interface Asked {
  readonly action: Action;
  readonly fromWord: string;
  readonly atMs: number;
}

/** After this time what was asked for is not shown any more: either it has been done, or nobody knows. */
const ASKED_MS = 20_000;
/** How many requests are under way at once when many machines are acted on. */
const AT_ONCE = 6;

/** Asks where that is due, acts, and tells of failures by name. `done` is called when the selection has been dealt with. */
export function useActions(done: () => void): {
  begin: (action: Action, machines: readonly Machine[]) => void;
  askedOf: (machine: Machine) => string | undefined;
  dialog: ReactNode;
} {
  const { session } = useSession();
  const notify = useNotify();
  const [question, setQuestion] = useState<{ action: Action; machines: readonly Machine[] }>();
  const [asked, setAsked] = useState<ReadonlyMap<string, Asked>>(new Map());

  const act = useCallback(
    async (action: Action, machines: readonly Machine[]): Promise<void> => {
      const atMs = Date.now();
      setAsked(
        (all) =>
          new Map([
            ...all,
            ...machines.map((each) => [each.key, { action, fromWord: each.state.word, atMs }] as const),
          ]),
      );
      done();
      const failures: string[] = [];
      const waiting = [...machines];
      const work = async (): Promise<void> => {
        for (let machine = waiting.shift(); machine; machine = waiting.shift()) {
          const { method, path } = requestFor(action, machine);
          try {
            await session.api.request(method, path, method === 'PUT' ? {} : undefined);
          } catch (error) {
            const { key } = machine;
            setAsked((all) => new Map([...all].filter(([each]) => each !== key)));
            failures.push(`${machine.name}: ${error instanceof Error ? error.message : error}`);
            if (error instanceof Refused && error.code === 403) session.rights.forget();
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      for (const failure of failures.slice(0, 3)) notify(`${WORDS[action].verb} failed. ${failure}`, { isError: true });
      if (failures.length > 3) notify(`${failures.length - 3} more failed in the same way.`, { isError: true });
      if (failures.length === 0 && machines.length > 1) notify(`${WORDS[action].doing} ${machines.length} machines.`);
    },
    [session, notify, done],
  );

  const begin = useCallback(
    (action: Action, machines: readonly Machine[]): void => {
      const meant = concerned(action, machines);
      if (meant.length === 0) return;
      if (WORDS[action].isAsked || meant.length > 1) setQuestion({ action, machines: meant });
      else void act(action, meant);
    },
    [act],
  );

  const askedOf = useCallback(
    (machine: Machine): string | undefined => {
      const found = asked.get(machine.key);
      if (!found || found.fromWord !== machine.state.word || Date.now() - found.atMs > ASKED_MS) return undefined;
      return WORDS[found.action].doing;
    },
    [asked],
  );

  const dialog = question && (
    <AskDialog
      {...question}
      onCancel={() => setQuestion(undefined)}
      onConfirm={() => {
        setQuestion(undefined);
        void act(question.action, question.machines);
      }}
    />
  );
  return { begin, askedOf, dialog };
}
