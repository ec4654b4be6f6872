import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { memoryFolder } from './memory-folder.mjs'
import { root, run, say } from './run.mjs'

/** Runs vitest and counts the results of its JSON reporter. Failures outside tests count as failed too. */
export async function vitest(node, env, args) {
  const report = path.join(root, '.cache', `tests.${process.pid}.json`)
  const program = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const retries = path.join(root, 'scripts', 'lib', 'retry-reporter.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, `--reporter=${retries}`]
  const folder = env.TMPDIR === undefined ? memoryFolder() : undefined
  const { code } = await run(node, [program, 'run', ...reporters, ...args], {
    env: { ...env, ...(folder !== undefined && { TMPDIR: folder }) },
    stdio: 'inherit',
  })
  if (folder !== undefined) removeFolder(folder)
  const counts = countTests(readReport(report))
  rmSync(report, { force: true })
  if (code !== 0 && counts.failed === 0) {
    say('vitest failed outside of any test (see above); counted as one failure')
    counts.failed = 1
  }
  return { ...counts, code }
}

export function countTests(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of report?.testResults ?? []) {
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed++
      else if (status === 'failed') counts.failed++
      else counts.skipped++
    }
    const hasFailure = file.assertionResults.some(({ status }) => status === 'failed')
    if (file.status === 'failed' && !hasFailure) counts.failed++
  }
  return counts
}

/** A process may still write there while it exits. The next run then removes the folder. */
function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    say(`${folder} could not be removed: ${error.message}`)
  }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
