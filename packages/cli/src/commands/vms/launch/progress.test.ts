import { describe, expect, it } from 'vitest';
import { type Observed, progressOf } from './progress.ts';
import { statusLine } from './statusLine.ts';

type Conditions = { type: string; status: string; reason?: string; message?: string }[];
const vm = (printableStatus: string, ...conditions: Conditions) => ({ status: { printableStatus, conditions } });
const disk = (phase: string, progress = 'N/A', ...conditions: Conditions) => ({
  status: { phase, progress, conditions },
});

describe('the way of a VM up', () => {
  it.each<{ observed: Observed; is: Partial<ReturnType<typeof progressOf>> }>([
    { observed: { vm: {} }, is: { step: 'Pending', isRunning: false } },
    {
      observed: {
        vm: vm('Starting', { type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist' }),
      },
      is: { step: 'Starting', cause: undefined },
    },
    {
      observed: {
        vm: vm(
          'ErrorUnschedulable',
          { type: 'Ready', status: 'False', reason: 'Other', message: 'not ready' },
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes have enough memory' },
        ),
      },
      is: { step: 'ErrorUnschedulable', cause: '0/1 nodes have enough memory' },
    },
    {
      observed: { vm: vm('Provisioning'), dataVolume: disk('ImportInProgress', '34.21%') },
      is: { step: 'Importing the image', percent: 34 },
    },
    {
      observed: {
        vm: vm('DataVolumeError'),
        dataVolume: disk('ImportInProgress', '12.00%', {
          type: 'Running',
          status: 'False',
          reason: 'Error',
          message: 'no such host',
        }),
      },
      is: { step: 'Importing the image', percent: undefined, cause: 'no such host (retrying)', hasFailed: false },
    },
    {
      observed: {
        vm: vm('Provisioning'),
        dataVolume: disk('Pending', 'N/A', {
          type: 'Bound',
          status: 'False',
          reason: 'Pending',
          message: 'PVC web-root Pending: no space',
        }),
      },
      is: { step: 'Creating the disk', cause: 'PVC web-root Pending: no space' },
    },
    {
      observed: {
        vm: vm('DataVolumeError'),
        dataVolume: disk('Failed', 'N/A', { type: 'Running', status: 'False', reason: 'Error', message: 'no disk' }),
      },
      is: { step: 'The disk cannot be created', cause: 'no disk', hasFailed: true },
    },
    { observed: { vm: vm('Starting'), dataVolume: disk('Succeeded', '100.0%') }, is: { step: 'Starting' } },
    {
      observed: {
        vm: vm('Starting'),
        launcher: {
          status: {
            containerStatuses: [
              {
                name: 'compute',
                image: '',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: { waiting: { message: 'pulling image "a": 1.0 MiB of 2.0 MiB' } },
              },
            ],
          },
        },
      },
      is: { step: 'Starting', cause: 'pulling image "a": 1.0 MiB of 2.0 MiB' },
    },
    {
      observed: { vm: vm('Running'), vmi: { status: {} } },
      is: { step: 'Running', isRunning: true, isConnected: false },
    },
    {
      observed: {
        vm: vm('Running'),
        vmi: { status: { conditions: [{ type: 'AgentConnected', status: 'True' }] } },
      },
      is: { step: 'Running', isRunning: true, isConnected: true },
    },
  ])('is $is', ({ observed, is }) => {
    const { step, percent, cause, ...flags } = progressOf(observed);
    expect({ step, percent, cause, ...flags }).toMatchObject(is);
  });
});

describe('the steps of a launch', () => {
  const shown = (isTTY: boolean): string => {
    let text = '';
    const write = (chunk: string): void => {
      text += chunk;
    };
    const line = statusLine({ isTTY, columns: 40, write });
    const state = { isRunning: false, isConnected: false, hasFailed: false };
    line.show({ ...state, step: 'Importing the image', percent: 10 });
    line.show({ ...state, step: 'Importing the image', percent: 10 });
    line.show({ ...state, step: 'Starting', cause: 'of a cause' });
    line.say('  Running after 3 s');
    line.show({ ...state, step: 'Waiting' });
    line.clear();
    return text;
  };

  it('are one line that is rewritten on a terminal, and lines that stay', () => {
    const [importing = '', starting = '', running = '', waiting = '', last] = shown(true).split('\r').slice(1);
    expect(importing).toMatch(/^ {2}Importing the image \[?.*10%\x1b\[K$/);
    expect(starting).toMatch(/^ {2}Starting: of a cause .*\x1b\[K$/);
    expect(running).toBe('  Running after 3 s\x1b[K\n');
    expect([waiting, last]).toEqual([expect.stringMatching(/^ {2}Waiting /), '\x1b[K']);
  });

  it('are a line each in a log', () => {
    expect(shown(false).split('\n')).toEqual([
      '  Importing the image …',
      '  Starting: of a cause …',
      '  Running after 3 s',
      '  Waiting …',
      '',
    ]);
  });
});
