import { Socket } from 'node:net'
import { type ServerOptions, startServer } from '../src/index.ts'

/** Runs one server on a home as a separate process. Prints its address on stdout and its log on stderr. */
const [home, workspace, cluster] = process.argv.slice(2) as [string, string, string | undefined]
const begun = performance.now()
try {
  const settings = cluster === undefined ? undefined : (JSON.parse(cluster) as ServerOptions['cluster'])
  if (settings !== undefined && process.env['TROUPE_TEST_ENGINE'] === 'openworkflow')
    settings.openEngine = (await import('../src/cluster/testing/open-workflow-engine.ts')).openWorkflowEngine
  const server = await startServer({ home, workspace, port: 0, probe: false, cluster: settings })
  process.on('SIGTERM', () => {
    void server.close().then(() => process.exit(0))
  })
  // Largest backlog of a client so far, reported over IPC whenever it grows.
  let largest = 0
  setInterval(() => {
    const sockets = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
    const backlog = Math.max(
      0,
      ...sockets.map((one) =>
        one instanceof Socket && 'server' in one && one.server !== null ? one.writableLength : 0,
      ),
    )
    if (backlog <= largest) return
    largest = backlog
    process.send?.({ backlog })
  }, 10).unref()
  process.channel?.unref()
  const { port, token } = server
  process.stdout.write(`${JSON.stringify({ port, token, startMs: Math.round(performance.now() - begun) })}\n`)
} catch (error) {
  const { name, message, data } = error as Error & { data?: unknown }
  process.stdout.write(`${JSON.stringify({ error: { name, message, data } })}\n`)
  process.exit(3)
}
