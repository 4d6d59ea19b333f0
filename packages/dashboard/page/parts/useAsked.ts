import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Offer } from '../decisions/actions.ts';
import { ASK } from '../decisions/asking.ts';
import { useNotify } from './Notices.tsx';

/**
 * Opens what the address asks for, once, as the palette puts it there: `?ask=migrate`. It only opens dialogs, so a link
 * from elsewhere does no harm. What is not offered says why instead.
 */
export function useAsked(what: string, { isOffered, reason }: Offer, open: () => void, isReady = true): void {
  const [parameters, setParameters] = useSearchParams();
  const notify = useNotify();
  const isAsked = isReady && parameters.get(ASK) === what;
  const answer = (): void => {
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete(ASK);
        return next;
      },
      { replace: true },
    );
    if (isOffered) open();
    else if (reason) notify(reason);
  };
  const latest = useRef(answer);
  latest.current = answer;
  useEffect(() => {
    if (isAsked) latest.current();
  }, [isAsked]);
}
