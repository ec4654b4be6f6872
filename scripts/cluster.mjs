import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { relaunch } from './lib/relaunch.mjs'
import { Failure, main, root, say } from './lib/run.mjs'

/**
 * `npm run cluster [-- --nodes 3 --port 4880]`: starts Postgres, some nodes in team mode, and a balancer in front of
 * them, on this machine only, for demos and tests. Everything is removed when it ends.
 */
await main(async () => {
  await relaunch()
  const { values } = parseArgs({
    options: { nodes: { type: 'string', default: '3' }, port: { type: 'string', default: '4880' } },
  })
  const testing = path.join(root, 'packages/server/src/testing/postgres-server.ts')
  const { createServerFolder, findPostgres, startPostgresServer } = await import(testing)
  const programs = findPostgres()
  if (programs === undefined) throw new Failure('Postgres is not installed. On Debian: apt-get install postgresql')
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-cluster-'))
  // Members work as users of their own, who pass through it.
  chmodSync(folder, 0o711)
  const data = createServerFolder('cluster')
  const ending = []
  const stop = Promise.withResolvers()
  process.on('SIGINT', stop.resolve)
  process.on('SIGTERM', stop.resolve)
  try {
    const { port: databasePort, pid } = await startPostgresServer(programs, data)
    ending.push(async () => process.kill(pid, 'SIGINT'))
    const env = {
      ...process.env,
      TROUPE_DATABASE_URL: `postgres://troupe@127.0.0.1:${databasePort}/postgres`,
      TROUPE_PUBLIC_URL: `http://127.0.0.1:${values.port}`,
      TROUPE_SECRET_KEY: randomBytes(32).toString('base64'),
      TROUPE_NODE_FOLDER: path.join(folder, 'shared'),
    }
    const workspace = path.join(folder, 'workspace')
    mkdirSync(workspace)
    const nodes = []
    for (let i = 1; i <= Number(values.nodes); i++) {
      const home = path.join(folder, `node-${i}`)
      mkdirSync(home, { mode: 0o711 })
      // All nodes see the same folders, so a member has the same user id on all of them.
      const team = { userIds: { file: path.join(folder, 'people.json') } }
      writeFileSync(path.join(home, 'config.json'), JSON.stringify({ team }))
      const node = await startNode({ ...env, TROUPE_HOME: home }, workspace)
      say(`node ${i} listens on port ${node.port} (pid ${node.pid})`)
      nodes.push(node)
      ending.push(() => node.end())
    }
    const balancer = await startBalancer(Number(values.port), nodes)
    ending.push(async () => balancer.close())
    say(`open this address once, to create the owner:\n\n  ${nodes[0].url}\n\nCtrl+C stops everything.`)
    await stop.promise
  } finally {
    for (const end of ending.reverse()) await end()
    for (const made of [folder, data.folder]) rmSync(made, { recursive: true, force: true, maxRetries: 5 })
  }
})

async function startNode(env, workspace) {
  const args = ['serve', '--team', '--json', '--no-open', '--port', '0', '--workspace', workspace]
  const child = spawn(process.execPath, [path.join(root, 'scripts/troupe.mjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const first = new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  const line = await Promise.race([first, exited])
  if (typeof line !== 'string') throw new Failure(`a node ended with ${line} before it was ready`)
  const { url, port, pid } = JSON.parse(line)
  return {
    url,
    port,
    pid,
    async end() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Passes each request to the next node. One that does not answer is skipped. */
async function startBalancer(port, nodes) {
  let turn = 0
  const server = createServer((incoming, response) => forward(incoming, response, nodes.length))
  server.on('upgrade', (incoming, socket, head) => {
    const far = connect(nodes[turn++ % nodes.length].port, '127.0.0.1', () => {
      const lines = incoming.rawHeaders.reduce((text, one, i) => text + one + (i % 2 === 0 ? ': ' : '\r\n'), '')
      far.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines}\r\n`)
      far.write(head)
      far.pipe(socket).pipe(far)
    })
    far.on('error', () => socket.destroy())
    socket.on('error', () => far.destroy())
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    close() {
      server.closeAllConnections()
      server.close()
    },
  }

  function forward(incoming, response, left) {
    const { port: target } = nodes[turn++ % nodes.length]
    const { method, url, headers } = incoming
    const outgoing = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    outgoing.on('error', (error) => {
      if (error.code === 'ECONNREFUSED' && left > 1) forward(incoming, response, left - 1)
      else if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    })
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
}
