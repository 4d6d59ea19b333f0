import { type ReactNode, useCallback, useState } from 'react';
import { type Action, buttonText, type Concerned, concerned, WORDS } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { AskDialog } from './AskDialog.tsx';
import { useNotify } from './Notices.tsx';
import { actionWork } from './runAction.ts';
import { useMay, useSession } from './session.tsx';
import { useTasks } from './tasks/tasks.tsx';

/** What was asked of a machine, until its state changes. */
export interface Asked {
  readonly action: Action;
  readonly fromWord: string;
  readonly atMs: number;
}

/** After this time what was asked for is not shown any more: either it has been done, or nobody knows. */
const ASKED_MS = 20_000;

/** Asks where that is due, acts, and tells of failures by name. `done` is called when the selection has been dealt with. */
export function useActions(done: () => void): {
  begin: (action: Action, machines: readonly Machine[]) => void;
  askedOf: (machine: Machine) => string | undefined;
  dialog: ReactNode;
} {
  const { session } = useSession();
  const may = useMay();
  const notify = useNotify();
  const { run } = useTasks();
  const [question, setQuestion] = useState<Concerned & { readonly action: Action }>();
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
      setTimeout(() => setAsked((all) => new Map([...all].filter(([, each]) => each.atMs !== atMs))), ASKED_MS);
      const forget = ({ key }: Machine): void => setAsked((all) => new Map([...all].filter(([each]) => each !== key)));
      const [first] = machines;
      const href = machines.length === 1 && first ? `/machines/${first.namespace}/${first.name}` : undefined;
      const title = buttonText(action, machines);
      try {
        await run(title, actionWork(session, action, machines, forget), href ? { href } : {});
        if (machines.length > 1) notify(`${WORDS[action].doing} ${machines.length} machines.`);
      } catch (error) {
        notify(`${title} failed. ${shortened(error instanceof Error ? error.message : String(error))}`, {
          isError: true,
        });
      }
    },
    [session, notify, run, done],
  );

  const begin = useCallback(
    (action: Action, machines: readonly Machine[]): void => {
      const meant = concerned(action, machines, may);
      if (meant.machines.length === 0) return;
      const isPlain = meant.machines.length === 1 && meant.forbidden.length === 0;
      if (WORDS[action].isAsked || !isPlain) setQuestion({ action, ...meant });
      else void act(action, meant.machines);
    },
    [act, may],
  );

  const askedOf = useCallback(
    (machine: Machine): string | undefined => {
      const found = asked.get(machine.key);
      if (!found || found.fromWord !== machine.state.word) return undefined;
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

const MOST_REASONS = 3;

/** The first few reasons; the drawer of tasks has them all. */
function shortened(text: string): string {
  const reasons = text.split('\n');
  const rest = reasons.length - MOST_REASONS;
  return `${reasons.slice(0, MOST_REASONS).join(' ')}${rest > 0 ? ` And ${rest} more, see Tasks.` : ''}`;
}
