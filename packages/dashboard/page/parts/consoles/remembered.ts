import { useState } from 'react';

const PREFIX = 'vireo.console.';

/** Something that the browser remembers for its user; storage may be forbidden, then until the page is left. */
export function useRemembered(name: string, initial: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => read(localStorageOf(), name) ?? initial);
  return [
    value,
    (next) => {
      setValue(next);
      write(localStorageOf(), name, next);
    },
  ];
}

/** The consoles that were open last in this tab of the browser, as the query of their address. */
export const lastWorkspace = (): string => read(sessionStorageOf(), 'open') ?? '';
export const rememberWorkspace = (query: string): void => write(sessionStorageOf(), 'open', query);

const localStorageOf = (): Storage | undefined => attempt(() => window.localStorage);
const sessionStorageOf = (): Storage | undefined => attempt(() => window.sessionStorage);
const read = (storage: Storage | undefined, name: string): string | undefined =>
  attempt(() => storage?.getItem(PREFIX + name) ?? undefined);
const write = (storage: Storage | undefined, name: string, value: string): void => {
  attempt(() => storage?.setItem(PREFIX + name, value));
};

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
