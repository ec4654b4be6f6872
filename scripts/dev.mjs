import { spawn } from 'node:child_process'
import path from 'node:path'
import { main, root, say } from './lib/run.mjs'
import { setup } from './setup.mjs'

/**
 * `npm run dev [-- <serve flags>]`: runs the server, restarted when a source changes, behind vite's dev server. Both
 * end together.
 */
await main(async () => {
  const { node, env } = await setup({ web: false, program: false })
  const port = env.TROUPE_PORT ?? '4880'
  const watched = ['protocol', 'command-policy', 'core', 'server', 'cli'].map(
    (name) => `--watch-path=${path.join(root, 'packages', name, 'src')}`,
  )
  const program = path.join(root, 'packages', 'cli', 'src', 'main.ts')
  const serve = ['serve', '--no-open', '--port', port, ...process.argv.slice(2)]
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  say('the page that reloads itself is at http://127.0.0.1:4881/ (with the #k=… that the server prints)')
  const children = [
    spawn(node, ['--conditions=troupe-source', '--watch', '--watch-preserve-output', ...watched, program, ...serve], {
      env,
      stdio: 'inherit',
    }),
    spawn(node, [vite, '--host', '127.0.0.1', '--clearScreen', 'false'], {
      cwd: path.join(root, 'packages', 'web'),
      env: { ...env, TROUPE_DEV_SERVER: `http://127.0.0.1:${port}`, VITE_SERVER_ORIGIN: `http://127.0.0.1:${port}` },
      stdio: 'inherit',
    }),
  ]
  const end = () => children.forEach((child) => child.kill('SIGTERM'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  await Promise.race(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
  end()
})
