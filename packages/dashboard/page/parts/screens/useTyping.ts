import { useCallback, useEffect, useRef, useState } from 'react';
import type { Key } from '../../decisions/screens/keys.ts';
import type { Typing } from '../../decisions/screens/typing.ts';

export interface Progress {
  readonly typed: number;
  readonly count: number;
  readonly state: 'typing' | 'done' | 'stopped' | 'cut';
}

interface Hands {
  readonly progress: Progress | undefined;
  readonly type: (typing: Typing, eventMs: number) => void;
  readonly stop: () => void;
}

/** Types, one key after the other; ends when the user says so, and when the screen is gone. */
export function useTyping(send: (key: Key, isDown: boolean) => void, isConnected: boolean): Hands {
  const [progress, setProgress] = useState<Progress>();
  const end = useRef<(state: 'stopped' | 'cut') => void>(() => {});

  const type = useCallback(
    ({ events, count }: Typing, eventMs: number): void => {
      end.current('stopped');
      const down = new Map<string, Key>();
      let next = 0;
      const tell = (state: Progress['state']): void =>
        setProgress({ typed: events[next - 1]?.typed ?? 0, count, state });
      const timer = setInterval(() => {
        const event = events[next];
        if (!event) return finish('done');
        next += 1;
        send(event, event.isDown);
        if (event.isDown) down.set(event.code, event);
        else down.delete(event.code);
        if (next % 10 === 0) tell('typing');
      }, eventMs);
      const finish = (state: Progress['state']): void => {
        clearInterval(timer);
        end.current = () => {};
        for (const key of down.values()) send(key, false);
        tell(state);
      };
      end.current = finish;
      tell('typing');
    },
    [send],
  );
  useEffect(() => {
    if (!isConnected) end.current('cut');
  }, [isConnected]);
  useEffect(() => () => end.current('stopped'), []);
  const stop = useCallback((): void => end.current('stopped'), []);
  return { progress, type, stop };
}
