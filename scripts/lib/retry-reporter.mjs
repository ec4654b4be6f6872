/** Prints tests that failed first and passed on retry. Each is a race to fix. */
export default class RetryReporter {
  onTestRunEnd(modules) {
    const retried = modules.flatMap((module) => [...module.children.allTests()]).filter(isRetried)
    if (retried.length === 0) return
    console.log(`Passed only on a second try (${retried.length}):`)
    for (const test of retried)
      console.log(`  ${test.module.moduleId.replace(`${process.cwd()}/`, '')} > ${test.fullName}`)
  }
}

function isRetried(test) {
  return test.result().state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0
}
