import { type ChildProcess, spawn } from 'node:child_process'
import type { Server, Socket } from 'node:net'
import path from 'node:path'
import { findProgram, type PersonNetwork, startProcess } from '@troupe/core'
import { type CheckHost, startGuardProxy } from '../browser/guard-proxy.ts'

/** Port of the proxy in every network. Nothing else is there at the beginning. */
export const proxyPort = 3128
const startMs = 10_000

interface OpenNetwork {
  pid: number
  close(): void
}

/**
 * People's networks, opened on first use. A small process keeps the network namespace. The proxy listens in it while
 * its connections are made by us. Commands of one person can reach each other in it, and nothing else without the proxy.
 */
export function createPersonNetworks(check: CheckHost, env: NodeJS.ProcessEnv) {
  const open = new Map<string, Promise<OpenNetwork>>()
  const [bwrap, nsenter] = ['bwrap', 'nsenter'].map((name) => findProgram(name, env))
  const address = `http://127.0.0.1:${proxyPort}`
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'npm_config_proxy', 'npm_config_https_proxy']
  const variables = {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NO_PROXY: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
  }
  return {
    of: (person: string): PersonNetwork => ({
      async open() {
        const opening = open.get(person) ?? start()
        open.set(person, opening)
        // Let the next command try again.
        opening.catch(() => open.delete(person))
        const { pid } = await opening
        return { enter: [nsenter ?? 'nsenter', `--net=/proc/${pid}/ns/net`, '--'], env: variables }
      },
    }),
    close() {
      for (const opening of open.values())
        opening.then(
          (network) => network.close(),
          () => undefined,
        )
      open.clear()
    },
  }

  async function start(): Promise<OpenNetwork> {
    const file = path.join(import.meta.dirname, `network-holder${path.extname(import.meta.filename)}`)
    const guard = await startGuardProxy(check)
    const child = await startProcess('The network of the person', () =>
      spawn(
        bwrap ?? 'bwrap',
        ['--unshare-net', '--dev-bind', '/', '/', '--die-with-parent', '--', process.execPath, file, String(proxyPort)],
        { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
      ),
    )
    const { pid, server: listening } = await receiveServer(child)
    listening.on('connection', (socket: Socket) => guard.accept(socket))
    listening.unref()
    child.unref()
    return {
      pid,
      close() {
        listening.close()
        child.kill('SIGKILL')
        void guard.close()
      },
    }
  }
}

/** The process that was started only waits for the one in the namespace, which tells its id. */
async function receiveServer(child: ChildProcess): Promise<{ pid: number; server: Server }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ pid: number; server: Server }>()
  const late = setTimeout(() => reject(new Error('The network of commands did not start.')), startMs)
  child.once('message', (pid, server) => resolve({ pid: pid as number, server: server as Server }))
  child.once('exit', () => reject(new Error('The network of commands could not be started.')))
  try {
    return await promise
  } finally {
    clearTimeout(late)
    if (child.connected) child.disconnect()
  }
}
