import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { whyNoNode } from './testing/start-node.ts'

const why = whyNoNode()

test.skipIf(why !== undefined)(`a process replaces itself by one with its own mounts${why ? ` (${why})` : ''}`, () => {
  const file = path.join(import.meta.dirname, 'own-view.ts')
  const script = `import { enterOwnView, hasOwnView } from ${JSON.stringify(file)}
    const before = process.env.STARTED
    process.env.STARTED ??= String(process.pid)
    enterOwnView(process.env)
    console.log(JSON.stringify([hasOwnView(process.env), before === String(process.pid), process.argv.at(-1)]))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=troupe-source', '--input-type=module-typescript', '-e', script, 'an argument'],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] } },
  )
  expect(stderr).not.toContain('Error')
  expect(JSON.parse(stdout)).toEqual([true, true, 'an argument'])
})
