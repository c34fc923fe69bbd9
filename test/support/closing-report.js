/** Ends the run by naming every test that was skipped, whose title says why, and by one plain line of counts. */
export default class ClosingReport {
  onRunComplete(_contexts, results) {
    const skipped = results.testResults
      .flatMap((file) => file.testResults)
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ fullName }) => `  ${fullName}`);
    if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.join('\n')}\n`);
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.stdout.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
  }
}
