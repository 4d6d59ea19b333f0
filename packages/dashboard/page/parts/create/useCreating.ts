import { useCallback, useEffect, useMemo, useState } from 'react';
import { forbiddenText } from '../../decisions/actions.ts';
import { missing, ownProblems } from '../../decisions/create/checks.ts';
import { readUserData, userDataProblem } from '../../decisions/create/login.ts';
import { vmNamespace } from '../../decisions/create/objects.ts';
import { isAt, type Problem } from '../../decisions/yaml/problems.ts';
import { useMay, useSession } from '../session.tsx';
import { createMachine, problemsOf } from './createMachine.ts';
import type { SectionProps } from './Field.tsx';
import { useOffers } from './offers.ts';
import { type DryRun, useDryRun } from './useDryRun.ts';
import type { MachineForm } from './useMachineForm.ts';

const CREATE = { verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines' };
const CREATE_SECRET = { verb: 'create', group: '', resource: 'secrets' };

interface Creating {
  readonly problems: readonly Problem[];
  readonly problemsAt: SectionProps['problemsAt'];
  readonly dryRun: DryRun['state'];
  readonly isBusy: boolean;
  /** Why nothing can be created now. */
  readonly obstacle: string | undefined;
  readonly submit: () => Promise<void>;
}

/** Checks what the form has, and creates it. A failure leaves the form as it is, with the server's words. */
export function useCreating(form: MachineForm, onCreated: () => void): Creating {
  const { session } = useSession();
  const may = useMay();
  const { objects, broken } = form;
  const namespace = vmNamespace(objects);
  const [failed, setFailed] = useState<readonly Problem[]>([]);
  const [isBusy, setBusy] = useState(false);
  const needed = objects.secret ? [CREATE, CREATE_SECRET] : [CREATE];
  const forbidden = needed.find((permission) => may(permission, namespace) === false);
  const dryRun = useDryRun(objects, broken === undefined && forbidden === undefined && !isBusy);
  const claims = useOffers('', 'v1', 'persistentvolumeclaims', namespace);
  const problems = useMemo(() => {
    const here = claims.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name);
    return unique([...ownProblems(objects, here), ...dryRun.problems, ...failed]);
  }, [objects, claims, namespace, dryRun.problems, failed]);
  const problemsAt = useCallback<SectionProps['problemsAt']>(
    (...paths) =>
      problems.filter((each) => (each.document ?? 0) === 0 && isAt(each, paths)).map(({ message }) => message),
    [problems],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failure is about what was tried
  useEffect(() => setFailed([]), [objects]);

  const userData = readUserData(objects);
  const obstacle =
    broken ??
    (forbidden && forbiddenText(forbidden, namespace)) ??
    missing(objects) ??
    (userData === undefined ? undefined : userDataProblem(userData)) ??
    problems[0]?.message;
  const submit = async (): Promise<void> => {
    if (obstacle !== undefined || isBusy) return;
    setBusy(true);
    try {
      await createMachine(session.api, objects);
      form.release();
      onCreated();
    } catch (error) {
      setFailed(problemsOf(error));
      setBusy(false);
    }
  };
  return { problems, problemsAt, dryRun: dryRun.state, isBusy, obstacle, submit };
}

const unique = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((problem) => [problem.message, problem])).values(),
];
