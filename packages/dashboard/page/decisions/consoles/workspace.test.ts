import { describe, expect, it } from 'vitest';
import {
  closeConsole,
  consoleOfKey,
  openConsole,
  parseWorkspace,
  showConsole,
  splitWorkspace,
  unsplit,
  type Workspace,
  workspaceQuery,
} from './workspace.ts';

const [a, b, c] = ['serial/default/web', 'screen/default/web', 'serial/other/db.one'] as const;
const parse = (query: string): Workspace => parseWorkspace(new URLSearchParams(query));

describe('an address', () => {
  it.each([
    { open: [], shown: [], active: undefined },
    { open: [a], shown: [a], active: a },
    { open: [a, b, c], shown: [b], active: b },
    { open: [a, b, c], shown: [b, a], active: a },
  ])('leads back to the consoles it was made of: %j', (workspace) => {
    expect(parse(workspaceQuery(workspace))).toEqual(workspace);
  });

  it('is legible', () => {
    expect(workspaceQuery({ open: [a, b], shown: [b], active: b })).toBe(
      '?open=serial/default/web,screen/default/web&shown=screen/default/web',
    );
  });

  it('with nonsense is read as far as it makes sense', () => {
    expect(parse(`open=${a},disk/x/y,serial/x,${a},serial//x,serial/x/y/z&shown=${c},${a}&at=${b}`)).toEqual({
      open: [a],
      shown: [a],
      active: a,
    });
    expect(consoleOfKey('script/x/y')).toBeUndefined();
  });

  it('opens sixteen at most', () => {
    const many = Array.from({ length: 40 }, (_, index) => `serial/x/m${index}`);
    expect(parse(`open=${many.join(',')}`).open).toHaveLength(16);
  });
});

describe('consoles', () => {
  it('that are opened are shown in place of the one in use', () => {
    const one = openConsole(parse(''), a);
    expect(one).toEqual({ open: [a], shown: [a], active: a });
    expect(openConsole(one, b)).toEqual({ open: [a, b], shown: [b], active: b });
    expect(openConsole({ open: [a, b], shown: [b], active: b }, a)).toEqual({ open: [a, b], shown: [a], active: a });
  });

  it('stand side by side, up to four', () => {
    const all = ['1', '2', '3', '4', '5'].map((name) => `serial/x/${name}`);
    let workspace = parse(`open=${all.join(',')}`);
    for (let count = 1; count < 6; count++) workspace = splitWorkspace(workspace);
    expect(workspace.shown).toEqual(all.slice(0, 4));
    expect(workspace.active).toBe(all[3]);
    expect(showConsole(workspace, 'serial/x/5').shown).toEqual([...all.slice(0, 3), 'serial/x/5']);
    expect(showConsole(workspace, 'serial/x/1')).toEqual({ ...workspace, active: 'serial/x/1' });
    expect(unsplit(workspace, 'serial/x/4')).toEqual({ open: all, shown: all.slice(0, 3), active: all[0] });
  });

  it('that are closed give their place to a neighbour', () => {
    const workspace = { open: [a, b, c], shown: [b], active: b };
    expect(closeConsole(workspace, b)).toEqual({ open: [a, c], shown: [c], active: c });
    expect(closeConsole(workspace, a)).toEqual({ open: [b, c], shown: [b], active: b });
    expect(closeConsole({ open: [a], shown: [a], active: a }, a)).toEqual({ open: [], shown: [], active: undefined });
  });
});
