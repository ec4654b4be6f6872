import path from 'node:path'
import { main, root, run } from './lib/run.mjs'
import { setup } from './setup.mjs'

const bin = (name) => path.join(root, 'node_modules', ...name.split('/'))

const checks = {
  types: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'],
  'types of the page': [bin('typescript/bin/tsc'), '-p', 'packages/web/tsconfig.json'],
  'types of the browser tests': [bin('typescript/bin/tsc'), '-p', 'packages/web/e2e/tsconfig.json'],
  lint: [bin('oxlint/bin/oxlint')],
  format: [bin('oxfmt/bin/oxfmt'), '--check', '.'],
  'unused code': [bin('knip/bin/knip.js'), '--no-progress'],
  'lock file': [path.join(root, 'scripts', 'complete-lock.mjs'), '--check'],
  'generated files': [path.join(root, 'scripts', 'generate.mjs'), '--check'],
}

/** `npm run check`: runs all static checks and prints those that fail. */
await main(async () => {
  const { node, env } = await setup({ web: false, program: false })
  for (const [name, command] of Object.entries(checks)) {
    const start = performance.now()
    const { code, output } = await run(node, command, { env })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
    if (code === 0) continue
    console.log(output)
    process.exitCode = 1
  }
})
