import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 639px)');

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
};

/** Whether the screen is that of a phone, where rows become cards. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
