import { readdirSync } from 'node:fs';
import type { Metrics } from './metrics.ts';

/** What this process uses, under the names of every Prometheus client. */
export function observeProcess(metrics: Metrics): void {
  metrics.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss());
  metrics.gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    () => Date.now() / 1000 - process.uptime(),
  );
  metrics.gauge('process_open_fds', 'Number of open file descriptors.', () => readdirSync('/proc/self/fd').length);
  metrics.read(
    {
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
      labels: [],
      type: 'counter',
    },
    () => {
      const { user, system } = process.cpuUsage();
      return [{ labels: [], value: (user + system) / 1e6 }];
    },
  );
}
