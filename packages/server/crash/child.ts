import { startServer } from '../src/start-server.ts'

/** One server on a home, as a process of its own. Says where it is on stdout; its log goes to stderr. */
const [home, workspace] = process.argv.slice(2) as [string, string]
const begun = performance.now()
try {
  const server = await startServer({ home, workspace, port: 0, probe: false })
  process.on('SIGTERM', () => {
    void server.close().then(() => process.exit(0))
  })
  const { port, token } = server
  process.stdout.write(`${JSON.stringify({ port, token, startMs: Math.round(performance.now() - begun) })}\n`)
} catch (error) {
  const { name, message, data } = error as Error & { data?: unknown }
  process.stdout.write(`${JSON.stringify({ error: { name, message, data } })}\n`)
  process.exit(3)
}
