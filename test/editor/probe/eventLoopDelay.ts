import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How long callbacks had to wait while the event loop was busy with something else, in milliseconds. */
export interface EventLoopDelay {
  p50: number;
  p99: number;
  p999: number;
  max: number;
  /** How many times it was measured. */
  samples: number;
  /** How long it was watched. */
  seconds: number;
}

/** How often the loop is asked, in milliseconds. */
const resolution = 1;

/** Begins to watch the event loop of this process. Gives what ends it, with the figures. */
export function watchEventLoop(): () => EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution });
  const begun = performance.now();
  histogram.enable();
  return () => {
    histogram.disable();
    // What is recorded is the time from one question to the next, so that an idle loop has the resolution.
    const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
    return {
      p50: delay(histogram.percentile(50)),
      p99: delay(histogram.percentile(99)),
      p999: delay(histogram.percentile(99.9)),
      max: delay(histogram.max),
      samples: histogram.count,
      seconds: (performance.now() - begun) / 1000,
    };
  };
}
