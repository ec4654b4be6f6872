import path from 'node:path'
import { main, root, run } from './lib/run.mjs'
import { tsc } from './lib/tsc.mjs'
import { setup } from './setup.mjs'

const program =
  (file, ...args) =>
  (node, env) =>
    run(node, [path.join(root, file), ...args], { env })
const types = (config) => (node, env) => tsc(node, ['-p', config], { env })

const checks = {
  types: types('tsconfig.json'),
  'types of the page': types('packages/web/tsconfig.json'),
  'types of the browser tests': types('packages/web/e2e/tsconfig.json'),
  lint: program('node_modules/oxlint/bin/oxlint'),
  format: program('node_modules/oxfmt/bin/oxfmt', '--check', '.'),
  'unused code': program('node_modules/knip/bin/knip.js', '--no-progress'),
  'lock file': program('scripts/complete-lock.mjs', '--check'),
  'generated files': program('scripts/generate.mjs', '--check'),
}

/** `npm run check`: runs all static checks and prints those that fail. */
await main(async () => {
  const { node, env } = await setup({ web: false, program: false })
  for (const [name, check] of Object.entries(checks)) {
    const start = performance.now()
    const { code, output } = await check(node, env)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
    if (code === 0) continue
    console.log(output)
    process.exitCode = 1
  }
})
