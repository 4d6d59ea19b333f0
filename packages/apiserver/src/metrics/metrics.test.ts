import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory.ts';
import { Metrics } from './metrics.ts';
import { observeRequests } from './requests.ts';

describe('metrics', () => {
  it('are in the text format of Prometheus', () => {
    const metrics = new Metrics();
    const count = metrics.counter('things_total', 'Things.', ['kind']);
    count(['a']);
    count(['a'], 2);
    count(['b']);
    metrics.gauge('level', 'How high.', () => 7);
    metrics.gauges('levels', 'How high each is.', ['of'], () => [{ labels: ['x'], value: 1 }]);
    const took = metrics.histogram('took_seconds', 'How long.', ['what'], [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 3]) took(['x'], seconds);
    expect(metrics.render().split('\n')).toEqual([
      '# HELP things_total Things.',
      '# TYPE things_total counter',
      'things_total{kind="a"} 3',
      'things_total{kind="b"} 1',
      '# HELP level How high.',
      '# TYPE level gauge',
      'level 7',
      '# HELP levels How high each is.',
      '# TYPE levels gauge',
      'levels{of="x"} 1',
      '# HELP took_seconds How long.',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{what="x",le="0.1"} 2',
      'took_seconds_bucket{what="x",le="1"} 3',
      'took_seconds_bucket{what="x",le="+Inf"} 4',
      'took_seconds_sum{what="x"} 3.65',
      'took_seconds_count{what="x"} 4',
      '',
    ]);
  });

  it('escape what labels hold', () => {
    const metrics = new Metrics();
    metrics.counter('odd_total', 'Odd.', ['text'])(['a "b"\\c\nd']);
    expect(metrics.render()).toContain('odd_total{text="a \\"b\\"\\\\c\\nd"} 1\n');
  });
});

describe('the metrics of requests', () => {
  it('have the names that dashboards know, and no series for made-up methods', () => {
    const metrics = new Metrics();
    const observe = observeRequests(metrics, openMemoryStore(), { size: 2 });
    observe('GET', 200, 0.01);
    observe('BREW', 405, 0.01);
    observe('STEEP', 405, 0.01);
    const text = metrics.render();
    expect(text).toContain('apiserver_request_total{verb="GET",code="200"} 1\n');
    expect(text).toContain('apiserver_request_total{verb="other",code="405"} 2\n');
    expect(text).toContain('apiserver_request_duration_seconds_count{verb="GET"} 1');
    expect(text).toContain('apiserver_longrunning_requests 2\n');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });
});
