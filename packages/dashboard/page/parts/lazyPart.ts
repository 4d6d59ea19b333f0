import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

const PAUSE_MS = 1_000;

/** A part of the page that is loaded when it is used, and once more if its file was cut on the way. */
export const lazyPart = <Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(() =>
    load().catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return load();
    }),
  );
