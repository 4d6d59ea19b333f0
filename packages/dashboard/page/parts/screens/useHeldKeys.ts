import { useCallback, useEffect, useRef, useState } from 'react';
import { HELD_KEYS, type HeldKey, type Key } from '../../decisions/screens/keys.ts';

/** Keys that a button holds down until it is pressed again, or until the connection is gone. */
export function useHeldKeys(
  send: (key: Key, isDown: boolean) => void,
  isUsable: boolean,
): { held: ReadonlySet<HeldKey>; toggle: (name: HeldKey) => void } {
  const [held, setHeld] = useState<ReadonlySet<HeldKey>>(new Set());
  const latest = useRef(held);
  latest.current = held;
  const toggle = useCallback(
    (name: HeldKey): void => {
      const isDown = !latest.current.has(name);
      send(HELD_KEYS[name], isDown);
      setHeld((before) => new Set(isDown ? [...before, name] : [...before].filter((each) => each !== name)));
    },
    [send],
  );
  // A guest that is reconnected must not find keys down that nobody holds.
  useEffect(() => {
    if (!isUsable) return;
    return () => {
      for (const name of latest.current) send(HELD_KEYS[name], false);
      setHeld(new Set());
    };
  }, [isUsable, send]);
  return { held, toggle };
}
