import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hostileVectors } from '../../packages/web/e2e/testing/hostile-vectors.ts'

const files = ['packages/web/e2e/hostile-text.test.ts', 'packages/web/e2e/previews.test.ts']

interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
}

/** The browser tests try some of the vectors each time; this bench tries all. */
export const benches = [
  {
    name: `${hostileVectors.length.toLocaleString('en')} hostile texts in every place that shows text, and as previews: tests that saw one act`,
    bar: '0',
    async run() {
      const { numFailedTests, numPassedTests, testResults } = await testAll()
      const failed = testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .find((one) => one.status === 'failed')
      return {
        value: String(numFailedTests),
        ok: numFailedTests === 0 && numPassedTests > 0,
        detail: failed?.fullName ?? `of ${numPassedTests}`,
      }
    },
  },
]

async function testAll(): Promise<Report> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-bench-'))
  try {
    const report = path.join(folder, 'report.json')
    const vitest = path.resolve('node_modules', 'vitest', 'vitest.mjs')
    const options = ['run', '--retry=0', '--testTimeout=600000', '--reporter=json', `--outputFile.json=${report}`]
    const child = spawn(process.execPath, [vitest, ...options, ...files], {
      env: { ...process.env, TROUPE_TEST_FULL: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await once(child, 'exit')
    return JSON.parse(await readFile(report, 'utf8')) as Report
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
