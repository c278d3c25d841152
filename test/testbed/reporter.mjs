// Mocha's own report for people, and the counts as JSON in the file that DELTASCOPE_TEST_RESULTS names.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Spec {
  done(failures, callback) {
    const file = process.env.DELTASCOPE_TEST_RESULTS;
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.counts()));
    callback(failures);
  }

  counts() {
    return {
      passed: this.stats.passes,
      failed: this.stats.failures,
      pending: this.stats.pending,
      failures: this.failures.map((test) => ({ title: test.fullTitle(), message: test.err?.message ?? '' })),
    };
  }
}
