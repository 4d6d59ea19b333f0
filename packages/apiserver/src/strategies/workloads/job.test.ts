import { describe, expect, test } from 'vitest';
import { changeProblems, created, problems } from '../../testing/strategies.ts';
import { jobStrategy } from './job.ts';

const job = (spec: object = {}, pod: object = {}) => ({
  metadata: { name: 'j', namespace: 'default', uid: 'u-1' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'x' }], restartPolicy: 'Never', ...pod } }, ...spec },
});

describe('a new job', () => {
  test('selects its pods by labels that nobody else has', () => {
    const made = created(jobStrategy, job());
    expect(made.spec).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      template: {
        metadata: {
          labels: {
            'batch.kubernetes.io/controller-uid': 'u-1',
            'batch.kubernetes.io/job-name': 'j',
            'controller-uid': 'u-1',
            'job-name': 'j',
          },
        },
      },
    });
    expect(problems(jobStrategy, made)).toEqual([]);
  });

  test('may choose its selector, if it says so', () => {
    const made = created(jobStrategy, job({ manualSelector: true, selector: { matchLabels: { a: 'b' } } }));
    expect(made.spec).toMatchObject({ selector: { matchLabels: { a: 'b' } } });
  });
});

test.each<[string, object, object, string[]]>([
  [
    'whose pods would never end',
    {},
    { restartPolicy: 'Always' },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    'with negative numbers',
    { completions: -1 },
    {},
    ['spec.completions: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'that counts without end',
    { completionMode: 'Indexed' },
    {},
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
])('a job %s is refused', (_, spec, pod, expected) => {
  expect(problems(jobStrategy, created(jobStrategy, job(spec, pod)))).toEqual(expected);
});

test('what a job does stays, how much at a time may change', () => {
  const old = created(jobStrategy, job({ completions: 1 }));
  const spec = old.spec as object;
  expect(changeProblems(jobStrategy, { ...old, spec: { ...spec, parallelism: 2, suspend: true } }, old)).toEqual([]);
  expect(changeProblems(jobStrategy, { ...old, spec: { ...spec, completions: 2 } }, old)).toEqual([
    'spec.completions: Invalid value: 2: field is immutable',
  ]);
});
