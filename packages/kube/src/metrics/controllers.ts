import type { ControllerMetrics } from '../controller.ts';
import type { Metrics } from './metrics.ts';

/** Powers of ten from ten nanoseconds on, as Kubernetes has them. */
const BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10];

/**
 * Metrics of controllers and their queues. `prefix`: what stands before their usual names (`kubevirt_`); `component`:
 * what stands before the names of the controllers (`virt-controller`).
 */
export function controllerMetrics(metrics: Metrics, prefix: string, component: string): ControllerMetrics {
  const labels = ['name'];
  const isShared = true;
  const of = (name: string, help: string) => ({ name: `${prefix}workqueue_${name}`, help, labels, isShared });
  const gauge = (name: string, help: string) => ({ ...of(name, help), type: 'gauge' }) as const;
  const adds = metrics.counter(of('adds_total', 'Total number of adds handled by workqueue'));
  const retries = metrics.counter(of('retries_total', 'Total number of retries handled by workqueue'));
  const waited = metrics.histogram(
    of('queue_duration_seconds', 'How long an item stays in workqueue before being requested.'),
    BUCKETS,
  );
  const worked = metrics.histogram(
    of('work_duration_seconds', 'How long in seconds processing an item from workqueue takes.'),
    BUCKETS,
  );
  const reconciled = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller and result.',
    labels: ['controller', 'result'],
    isShared,
  });
  return {
    reconciled: (controller, outcome) => reconciled([controller, outcome]),
    observe: (controller, queue) => {
      const name = [component ? `${component}-${controller}` : controller];
      metrics.read(gauge('depth', 'Current depth of workqueue'), () => [{ labels: name, value: queue.length }]);
      metrics.read(
        gauge('unfinished_work_seconds', 'How many seconds of work are in progress, summed over all running workers.'),
        () => [{ labels: name, value: sum(queue.workingMs()) / 1000 }],
      );
      metrics.read(
        gauge(
          'longest_running_processor_seconds',
          'How many seconds has the longest running processor for workqueue been running.',
        ),
        () => [{ labels: name, value: Math.max(0, ...queue.workingMs()) / 1000 }],
      );
      queue.observe({
        added: () => adds(name),
        retried: () => retries(name),
        taken: (ms) => waited(name, ms / 1000),
        done: (ms) => worked(name, ms / 1000),
      });
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
