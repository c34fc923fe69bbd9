import { type Reporter, type TestModule } from 'vitest/node';

/** Ends the run by naming every test that was skipped, whose title says why, and by one plain line of counts. */
export default class ClosingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const ended = (state: string): typeof tests => tests.filter((test) => test.result().state === state);
    const skipped = ended('skipped').map(({ fullName }) => `  ${fullName}`);
    if (skipped.length > 0) process.stdout.write(`\nSkipped:\n${skipped.join('\n')}\n`);
    const outsideOfTests = modules.flatMap((module) => module.errors()).length + errors.length;
    const failed = ended('failed').length + outsideOfTests;
    process.stdout.write(`\n${ended('passed').length} passed, ${failed} failed, ${skipped.length} skipped\n`);
  }
}
