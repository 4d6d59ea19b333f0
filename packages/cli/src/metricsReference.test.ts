import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allMetrics, METRICS_MARK, metricsPage, metricsTable } from './testing/metricsReference.ts';

const page = readFileSync(metricsPage, 'utf8');
const names = new Set([...allMetrics().values()].flat().map(({ name }) => name));

it('docs/observability.md tells every metric; else run: node packages/cli/src/testing/writeMetrics.ts', () => {
  const [, written] = page.split(METRICS_MARK);
  expect(written).toBe(`\n${metricsTable()}`);
});

it('its queries and alerts name metrics that there are', () => {
  const [byHand = ''] = page.split(METRICS_MARK);
  const named =
    byHand.match(/\b(?:(?:node|namespace):)?(?:kubevirt|apiserver|workqueue|kube_node|process)_\w+(?::sum)?/g) ?? [];
  const bare = named.map((name) => name.replace(/_(bucket|sum|count)$/, ''));
  expect(bare.length).toBeGreaterThan(10);
  expect([...new Set([...bare.filter((name, at) => !names.has(name) && !names.has(named[at] ?? ''))])]).toEqual([]);
});

describe('what KubeVirt’s users know', () => {
  const each = (prefix: string, ...words: string[]): string[] => words.map((word) => `${prefix}${word}`);
  const status = each('kubevirt_vm_', 'running', 'starting', 'migrating', 'non_running', 'error');
  it.each([
    ...['kubevirt_info', 'kubevirt_vm_info', 'kubevirt_vmi_info'],
    ...[
      'node:kubevirt_vmi_phase:sum',
      'kubevirt_vmi_phase_count',
      'namespace:kubevirt_vm:sum',
      'kubevirt_number_of_vms',
    ],
    ...each('kubevirt_vm_', 'created_total', 'created_by_pod_total', 'create_date_timestamp_seconds'),
    ...status.map((name) => `${name}_status_last_transition_timestamp_seconds`),
    ...each('kubevirt_vm_', 'resource_requests', 'resource_limits', 'disk_allocated_size_bytes'),
    ...each('kubevirt_vmi_phase_transition_time_', 'seconds', 'from_creation_seconds', 'from_deletion_seconds'),
    ...each('kubevirt_vmi_', 'cpu_usage_seconds_total', 'vcpu_seconds_total', 'vcpu_wait_seconds_total'),
    ...each(
      'kubevirt_vmi_memory_',
      'domain_bytes',
      'resident_bytes',
      'available_bytes',
      'usable_bytes',
      'unused_bytes',
    ),
    'kubevirt_vmi_launcher_memory_overhead_bytes',
    ...each('kubevirt_vmi_network_', 'receive_bytes_total', 'transmit_bytes_total'),
    ...each('kubevirt_vmi_storage_', 'read_traffic_bytes_total', 'write_traffic_bytes_total'),
    ...each('kubevirt_vmi_storage_', 'iops_read_total', 'iops_write_total'),
    ...each('kubevirt_vmi_filesystem_', 'capacity_bytes', 'used_bytes'),
    ...each('kubevirt_vmi_migration_', 'data_processed_bytes', 'data_remaining_bytes', 'succeeded', 'failed'),
    ...each('kubevirt_vmi_migrations_in_', 'pending_phase', 'scheduling_phase', 'running_phase'),
    ...each('kubevirt_vmi_', 'non_evictable', 'number_of_outdated', 'last_api_connection_timestamp_seconds'),
    ...each('kubevirt_', 'console_active_connections', 'vnc_active_connections', 'portforward_active_tunnels'),
    ...each('kubevirt_rest_client_', 'requests_total', 'request_latency_seconds'),
    ...each('kubevirt_workqueue_', 'adds_total', 'depth', 'queue_duration_seconds', 'work_duration_seconds'),
    ...each('kubevirt_virt_', 'api_ready_status', 'controller_ready_status', 'handler_ready_status'),
    ...each('kubevirt_virt_', 'operator_ready_status', 'controller_leading_status'),
  ])('is there: %s', (name) => {
    expect(names).toContain(name);
  });
});
