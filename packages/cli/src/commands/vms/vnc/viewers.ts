import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that shows a screen, and how it is told where. */
export interface Viewer {
  readonly program: string;
  readonly args: readonly string[];
}

export type ViewerType = 'remote-viewer' | 'tiger' | 'real' | 'chicken';

const ARGUMENTS: Readonly<Record<ViewerType, (address: string, isVerbose: boolean) => string[]>> = {
  'remote-viewer': (address, isVerbose) => [`vnc://${address}`, ...(isVerbose ? ['--debug'] : [])],
  tiger: (address, isVerbose) => [address, ...(isVerbose ? ['Log=*:stderr:100'] : [])],
  real: (address, isVerbose) => [
    ...[address, '-WarnUnencrypted=0', '-Shared=0', '-ShareFiles=0'],
    ...(isVerbose ? ['-log=*:stderr:100'] : []),
  ],
  chicken: (address) => [address],
};

/** In the order in which they are looked for. */
const KNOWN: readonly (readonly [program: string, type: ViewerType])[] = [
  ['/Applications/TigerVNC Viewer.app/Contents/MacOS/TigerVNC Viewer', 'tiger'],
  ['/Applications/Chicken.app/Contents/MacOS/Chicken', 'chicken'],
  ['/Applications/VNC Viewer.app/Contents/MacOS/vncviewer', 'real'],
  ['remote-viewer', 'remote-viewer'],
  ['vncviewer', 'tiger'],
  ['xtigervncviewer', 'tiger'],
  ['gvncviewer', 'tiger'],
];

export interface ViewerChoice {
  readonly type?: ViewerType;
  readonly path?: string;
  readonly address: string;
  readonly isVerbose?: boolean;
}

/** The viewer that was asked for, else the first that this host has. */
export function chooseViewer(
  { type, path, address, isVerbose = false }: ViewerChoice,
  find: (program: string) => boolean,
): Viewer | undefined {
  if (path) return { program: path, args: ARGUMENTS[type ?? 'remote-viewer'](address, isVerbose) };
  const found = KNOWN.find(([program, known]) => (!type || type === known) && find(program));
  return found && { program: found[0], args: ARGUMENTS[found[1]](address, isVerbose) };
}

/** Whether this host has a program, on its PATH or where the name says. */
export function isInstalled(program: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const places = program.includes('/')
    ? [program]
    : (env.PATH ?? '').split(delimiter).map((each) => join(each, program));
  return places.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
